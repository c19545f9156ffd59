package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/blakesmith/ar"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// entries returns the members of a Debian package, unpacked.
func entries(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	r := ar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		member, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name, packed := strings.CutSuffix(strings.TrimRight(h.Name, "/"), ".gz")
		if packed {
			member = unzipped(t, member)
		}
		out[name] = member
	}
}

// member returns a file of a tar archive.
func member(t *testing.T, data []byte, name string) string {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.TrimPrefix(h.Name, "./") == name {
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
}

func TestDeb(t *testing.T) {
	r, b, generated := sample(t)
	written := func() []byte {
		t.Helper()
		changes := "The first.\n\n### Added\n\n- One\n  change, " + strings.Repeat("very ", 20) + "long.\n- Another.\n"
		if err := r.deb(b, changes, generated); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(r.out, "stoa_1.2.3_amd64.deb"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := written()
	if !bytes.Equal(data, written()) {
		t.Error("a second run wrote other bytes")
	}
	all := entries(t, data)
	control := regexp.MustCompile(`(?m)^Installed-Size: .*\n`).ReplaceAllString(
		member(t, all["control.tar"], "control"), "")
	golden(t, "deb.txt", control+"\n"+member(t, all["control.tar"], "conffiles")+"\n"+listing(t, all["control.tar"])+
		"\n"+listing(t, all["data.tar"]))
	if script := member(t, all["control.tar"], "preinst"); !strings.Contains(script, "/pre-1.2.3\n") {
		t.Errorf("preinst:\n%s", script)
	}
	changes := string(unzipped(t, []byte(member(t, all["data.tar"], "usr/share/doc/stoa/changelog.gz"))))
	golden(t, "changelog.txt", changes)
}

func TestImages(t *testing.T) {
	r, b, generated := sample(t)
	other := binary{platforms[1], b.path}
	written := func() []byte {
		t.Helper()
		if err := r.images([]binary{b, other, {platforms[2], b.path}}, generated); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(r.out, "stoa_1.2.3_oci.tar"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := written()
	if !bytes.Equal(data, written()) {
		t.Error("a second run wrote other bytes")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, tarFS(t, data)); err != nil {
		t.Fatal(err)
	}
	top, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	index, err := top.ImageIndex(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = index.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, d := range m.Manifests {
		fmt.Fprintf(&text, "%s %s\n", d.MediaType, d.Platform)
		image, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		layers, err := image.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers, %v", len(layers), err)
		}
		content, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		files, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if extra := len(files); extra > 1<<20 {
			t.Errorf("the image has %d bytes beside the server", extra)
		}
		c, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.MarshalIndent(c.Config, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %s %s\n%s\n%s\n", c.OS, c.Architecture, c.Created, listing(t, files), shown)
	}
	golden(t, "image.txt", text.String())
	if n := strings.Count(string(authorities()), "BEGIN CERTIFICATE"); n < 100 {
		t.Errorf("%d certificate authorities", n)
	}
}

// TestDockerfile checks that the image of configs/container/Dockerfile runs like that of a release.
func TestDockerfile(t *testing.T) {
	r, _, _ := sample(t)
	found, err := r.read("configs/container/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(string(found[0].data), "FROM scratch\n")
	c := r.imageConfig()
	quoted := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	var want strings.Builder
	want.WriteString("COPY --from=server /image /\n")
	for _, v := range c.Env {
		want.WriteString("ENV " + v + "\n")
	}
	for port := range c.ExposedPorts {
		want.WriteString("EXPOSE " + port + "\n")
	}
	for dir := range c.Volumes {
		want.WriteString("VOLUME " + dir + "\n")
	}
	fmt.Fprintf(&want, "WORKDIR %s\nUSER %s\nSTOPSIGNAL %s\n", c.WorkingDir, c.User, c.StopSignal)
	fmt.Fprintf(&want, "HEALTHCHECK --interval=%.0fs --timeout=%.0fs --start-period=%.0fm CMD %s\n",
		c.Healthcheck.Interval.Seconds(), c.Healthcheck.Timeout.Seconds(), c.Healthcheck.StartPeriod.Minutes(),
		quoted(c.Healthcheck.Test[1:]))
	fmt.Fprintf(&want, "ENTRYPOINT %s\nCMD %s\n", quoted(c.Entrypoint), quoted(c.Cmd))
	if last != want.String() {
		t.Errorf("the Dockerfile says\n%s\nand a release has\n%s", last, want.String())
	}
	for _, f := range []string{"stoa:x:65532:65532:Stoa:/data:/usr/local/bin/stoa", "-tags nodynamic", "-trimpath"} {
		if !strings.Contains(string(found[0].data), f) {
			t.Errorf("the Dockerfile lacks %s", f)
		}
	}
}
