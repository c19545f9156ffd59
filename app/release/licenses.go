package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something of others that a release contains.
type part struct {
	kind     string // such as golang or npm, as in package URLs; "": files in this repository
	name     string
	version  string
	license  string // an SPDX expression; "": not declared
	licenses []string
	source   string // the address of the source code, where the license asks for it
}

// parts returns all parts: the Go modules of the server on all platforms, the packages of the web client, and files in
// this repository. Each has a license text.
func (r release) parts(ctx context.Context) ([]part, error) {
	all, err := r.goParts(ctx)
	if err != nil {
		return nil, err
	}
	npm, err := npmParts(filepath.Join(r.root, "modules", "web", "ui"))
	if err != nil {
		return nil, err
	}
	own, err := r.ownParts(ctx)
	all = append(append(all, npm...), own...)
	for _, p := range all {
		err = errors.Join(err, p.check())
	}
	return all, err
}

var affero = regexp.MustCompile(`AGPL|(?m:^\s*GNU AFFERO GENERAL PUBLIC LICENSE)`)

// check returns an error if a part has no license, or one that would oblige whoever runs a changed server to publish
// its source code.
func (p part) check() error {
	if len(p.licenses) == 0 && p.license == "" {
		return fmt.Errorf("%s %s has no license", p.name, p.version)
	}
	if affero.MatchString(p.license) || slices.ContainsFunc(p.licenses, affero.MatchString) {
		return fmt.Errorf("%s %s is under the GNU Affero General Public License: replace it", p.name, p.version)
	}
	return nil
}

// compiled lists works that Go modules contain in compiled form, without their license. The Makefile in the module's
// folder lib builds heic's from their source code.
var compiled = []struct{ in, kind, name, version, license, source string }{
	{"github.com/gen2brain/heic", "generic", "libheif", "1.18.2", "LGPL-3.0-or-later",
		"https://github.com/strukturag/libheif"},
	{"github.com/gen2brain/heic", "generic", "libde265", "1.0.15", "LGPL-3.0-or-later",
		"https://github.com/strukturag/libde265"},
	{"github.com/gen2brain/avif", "generic", "dav1d", "1.5.3", "BSD-2-Clause", ""},
	{"github.com/gen2brain/avif", "generic", "libyuv", "stable", "BSD-3-Clause", ""},
}

// listed is what go list prints about a package.
type listed struct {
	ImportPath string
	Dir        string
	EmbedFiles []string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

func (r release) goParts(ctx context.Context) ([]part, error) {
	found := map[string]*part{}
	for _, p := range r.platforms {
		c := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", "nodynamic",
			"-json=ImportPath,Dir,EmbedFiles,Standard,Module", server)
		c.Dir, c.Env, c.Stderr = r.root, p.environ(), os.Stderr
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var l listed
			if err := d.Decode(&l); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if l.Standard || l.Module == nil || l.Module.Main {
				continue
			}
			m := l.Module
			if m.Replace != nil {
				m.Path, m.Version, m.Dir = m.Replace.Path, m.Replace.Version, m.Replace.Dir
			}
			if found[m.Path] == nil {
				found[m.Path] = &part{kind: "golang", name: m.Path, version: m.Version}
			}
			for _, name := range append(l.EmbedFiles, ".") { // embedded code of others has its license beside it
				if err := found[m.Path].collect(filepath.Join(l.Dir, filepath.Dir(name)), m.Dir); err != nil {
					return nil, err
				}
			}
		}
	}
	env, err := output(ctx, r.root, "go", "env", "GOVERSION", "GOROOT") // it may be another go than that of this program
	if err != nil {
		return nil, err
	}
	version, goroot, _ := strings.Cut(env, "\n")
	std := part{kind: "golang", name: "std", version: strings.TrimPrefix(version, "go"), license: "BSD-3-Clause"}
	if err := std.collect(goroot, goroot); err != nil {
		return nil, err
	}
	all := []part{std}
	for _, p := range found {
		all = append(all, *p)
	}
	for _, c := range compiled {
		if found[c.in] != nil {
			all = append(all, part{kind: c.kind, name: c.name, version: c.version, license: c.license,
				source: c.source})
		}
	}
	slices.SortFunc(all[1:], func(a, b part) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

var isLicense = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|notice|copyright|patents)([-._].*)?$`)

// collect adds the license files in a folder and its parents, up to root.
func (p *part) collect(dir, root string) error {
	for ; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			ext := strings.ToLower(filepath.Ext(e.Name()))
			if e.IsDir() || !isLicense.MatchString(e.Name()) || ext == ".go" || ext == ".js" || ext == ".json" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			if s := clean(text); !slices.Contains(p.licenses, s) {
				p.licenses = append(p.licenses, s)
			}
		}
		if dir == root || len(dir) <= len(root) {
			return nil
		}
	}
}

// clean unifies ends of lines.
func clean(text []byte) string {
	return strings.Trim(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\ufeff")
}

// npmParts returns the packages that can enter the web client: the dependencies in package.json and what they need.
func npmParts(dir string) ([]part, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev, DevOptional bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var all []part
	for path, l := range lock.Packages {
		if path == "" || l.Dev || l.DevOptional {
			continue
		}
		p := part{kind: "npm", name: path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):],
			version: l.Version, license: l.License}
		folder := filepath.Join(dir, filepath.FromSlash(path))
		if err := p.collect(folder, folder); err != nil {
			return nil, fmt.Errorf("%w; run make web", err)
		}
		if p.license == "" && len(p.licenses) == 0 {
			if p.license, err = readmeLicense(folder); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b part) int {
		return strings.Compare(a.name+" "+a.version, b.name+" "+b.version)
	})
	return all, nil
}

var sectionLicense = regexp.MustCompile(`(?im)^#+ *licen[sc]e\s+(?:licensed under )?\[?(MIT|ISC|BSD)\b`)

// readmeLicense returns the license that the README of a package names.
func readmeLicense(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "[Rr][Ee][Aa][Dd]*"))
	if err != nil {
		return "", err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if m := sectionLicense.FindSubmatch(text); m != nil {
			return string(m[1]), nil
		}
	}
	return "", nil
}

// ownParts returns the files of others in this repository, whose license lies beside them.
func (r release) ownParts(ctx context.Context) ([]part, error) {
	list, err := output(ctx, r.root, "git", "ls-files", "*/LICENSE", "*.LICENSE")
	if err != nil {
		return nil, err
	}
	var all []part
	for path := range strings.Lines(list) {
		path = strings.TrimSpace(path)
		text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		all = append(all, part{name: strings.TrimSuffix(strings.TrimSuffix(path, ".LICENSE"), "/LICENSE"),
			licenses: []string{clean(text)}})
	}
	return all, nil
}

// licensesText returns THIRD_PARTY_LICENSES.txt: each license with the parts that have it.
func licensesText(parts []part) []byte {
	const rule = "\n\n--------------------------------------------------------------------------------\n\n"
	var order []string
	users := map[string][]string{}
	for _, p := range parts {
		texts := p.licenses
		if len(texts) == 0 {
			texts = []string{"Declared license, without a text of its own: " + p.license}
		}
		for _, text := range texts {
			if users[text] == nil {
				order = append(order, text)
			}
			user := strings.TrimSpace(p.name + " " + p.version)
			if p.source != "" {
				user += ", source code: " + p.source
			}
			users[text] = append(users[text], user)
		}
	}
	var b strings.Builder
	b.WriteString("Stoa contains the following works of others, under the licenses that follow their names.")
	for _, text := range order {
		b.WriteString(rule + strings.Join(users[text], "\n") + "\n\n" + text)
	}
	b.WriteString("\n")
	return []byte(b.String())
}
