package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// maintainer is the contact in packages. Its address accepts no mail: the homepage has a tracker.
const maintainer = "Stoa developers <stoachat@users.noreply.github.com>"

const homepage = "https://github.com/stoachat/stoa"

// debArch returns the name that Debian gives the platform, or "" if there is no package for it.
func (p platform) debArch() string {
	if p.os != "linux" || p.arm != "" {
		return ""
	}
	return p.arch
}

// deb writes the Debian package of a platform.
func (r release) deb(b binary, changes string, generated map[string][]byte) error {
	if b.debArch() == "" {
		return nil
	}
	stage, err := os.MkdirTemp("", "stoa-deb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	content, err := r.debContent(b, changes, generated)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "stoa", Arch: b.debArch(), Platform: "linux", Version: r.version, Section: "net", Priority: "optional",
		Maintainer: maintainer, Homepage: homepage, MTime: r.time, DisableGlobbing: true,
		Description: "team chat server\n" +
			"Channels, topics and direct messages for a team, in a browser and with\n" +
			"Zulip's apps. The server needs nothing else: SQLite is part of it, PostgreSQL\n" +
			"is optional.",
	}
	info.Depends = []string{"systemd | systemd-standalone-sysusers | systemd-sysusers", "init-system-helpers (>= 1.52)"}
	info.Recommends = []string{"ca-certificates"}
	info.Suggests = []string{"caddy | nginx", "postgresql"}
	info.Deb.Compression = "gzip"
	for _, f := range sorted(content) {
		c := &files.Content{
			Destination: "/" + f.path,
			FileInfo:    &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode.Perm(), MTime: r.time},
		}
		if f.mode.IsDir() {
			c.Type = files.TypeDir
		} else if c.Source, err = staged(stage, f); err != nil {
			return err
		}
		if strings.HasPrefix(f.path, "etc/") && !f.mode.IsDir() {
			c.Type = files.TypeConfigNoReplace
		}
		info.Contents = append(info.Contents, c)
	}
	for name, script := range map[string]*string{
		"preinst": &info.Scripts.PreInstall, "postinst": &info.Scripts.PostInstall,
		"prerm": &info.Scripts.PreRemove, "postrm": &info.Scripts.PostRemove,
	} {
		found, err := r.read("configs/debian/" + name)
		if err != nil {
			return err
		}
		found[0].data = bytes.ReplaceAll(found[0].data, []byte("@VERSION@"), []byte(r.version))
		if *script, err = staged(stage, found[0]); err != nil {
			return err
		}
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := deb.Default.Package(info, &out); err != nil {
		return fmt.Errorf("package for %v: %w", b.platform, err)
	}
	return r.write(fmt.Sprintf("stoa_%s_%s.deb", r.version, b.debArch()), out.Bytes())
}

// staged writes a file below a folder, and returns its path.
func staged(dir string, f file) (string, error) {
	to := filepath.Join(dir, filepath.FromSlash(f.path))
	err := os.MkdirAll(filepath.Dir(to), 0o755)
	if err == nil {
		err = os.WriteFile(to, f.data, 0o644)
	}
	return to, err
}

// debContent returns the files and folders of the package.
func (r release) debContent(b binary, changes string, generated map[string][]byte) ([]file, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	out := []file{{path: "usr/bin/stoa", mode: 0o755, data: program}}
	for to, from := range map[string]string{
		"etc/stoa/stoa.yaml":               "configs/debian/stoa.yaml",
		"lib/systemd/system/stoa.service":  "configs/systemd/stoa.service",
		"usr/lib/sysusers.d/stoa.conf":     "configs/systemd/stoa.conf",
		"usr/share/doc/stoa/copyright":     "configs/debian/copyright",
		"usr/share/doc/stoa/README.md":     "configs/README.md",
		"usr/share/lintian/overrides/stoa": "configs/debian/lintian-overrides",
		"usr/share/stoa/Caddyfile":         "configs/proxy/Caddyfile",
		"usr/share/stoa/nginx.conf":        "configs/proxy/nginx.conf",
		"usr/share/stoa/grafana.json":      "configs/prometheus/grafana.json",
		"usr/share/stoa/alerts.yaml":       "configs/prometheus/alerts.yaml",
	} {
		found, err := r.read(from)
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: to, mode: 0o644, data: found[0].data})
	}
	for to, from := range map[string]string{
		"usr/share/bash-completion/completions/stoa":     "completions/stoa.bash",
		"usr/share/zsh/vendor-completions/_stoa":         "completions/_stoa",
		"usr/share/fish/vendor_completions.d/stoa.fish":  "completions/stoa.fish",
		"usr/share/man/man1/stoa.1.gz":                   "man/stoa.1",
		"usr/share/doc/stoa/THIRD_PARTY_LICENSES.txt.gz": "THIRD_PARTY_LICENSES.txt",
		"usr/share/doc/stoa/changelog.gz":                "",
	} {
		data := generated[from]
		if from == "" {
			data = []byte(r.debChanges(changes))
		}
		if path.Ext(to) == ".gz" {
			if data, err = gzipped(data, gzip.BestCompression); err != nil {
				return nil, err
			}
		}
		out = append(out, file{path: to, mode: 0o644, data: data})
	}
	return withFolders(out), nil
}

// withFolders adds the folders of the files.
func withFolders(all []file) []file {
	seen := map[string]bool{}
	for _, f := range all {
		for dir := path.Dir(f.path); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, file{path: dir, mode: os.ModeDir | 0o755})
		}
	}
	return all
}

// debChanges returns the changes of the version in the form of a Debian changelog: an item for each paragraph and each
// change, in lines of at most 80 columns.
func (r release) debChanges(changes string) string {
	var items []string
	apart := true // the next line begins an item
	for line := range strings.Lines(changes) {
		line = strings.TrimSpace(line)
		text, change := strings.CutPrefix(line, "- ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			apart = true
			continue
		case change || apart:
			items = append(items, text)
		default:
			items[len(items)-1] += " " + text
		}
		apart = false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "stoa (%s) stable; urgency=medium\n\n", r.version)
	for _, item := range items {
		b.WriteString("  *")
		column := 3
		for word := range strings.FieldsSeq(item) {
			if column += 1 + utf8.RuneCountInString(word); column > 80 {
				b.WriteString("\n   ")
				column = 4 + utf8.RuneCountInString(word)
			}
			b.WriteString(" " + word)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n -- %s  %s\n", maintainer, r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	return b.String()
}
