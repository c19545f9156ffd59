package main

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nonroot is the user and group of the server in containers.
const nonroot = 65532

// images writes an archive with the images for all architectures of the release that have one, in the OCI image layout.
func (r release) images(all []binary, generated map[string][]byte) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range all {
		if b.debArch() == "" { // the images are for the same architectures
			continue
		}
		image, err := r.image(b, generated)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: b.os, Architecture: b.arch},
		}})
	}
	dir, err := os.MkdirTemp("", "stoa-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	to, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := to.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.version,
	})); err != nil {
		return err
	}
	files, err := tree(dir)
	if err != nil {
		return err
	}
	data, err := tarOf(files, r.time)
	if err != nil {
		return err
	}
	return r.write(r.name("oci.tar"), data)
}

// tree returns the files in a folder.
func tree(dir string) ([]file, error) {
	var out []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out = append(out, file{path: filepath.ToSlash(rel), mode: 0o644, data: data})
		return err
	})
	return out, err
}

// image returns the image of a platform: one layer on nothing.
func (r release) image(b binary, generated map[string][]byte) (v1.Image, error) {
	files, err := r.imageContent(b, generated)
	if err != nil {
		return nil, err
	}
	data, err := tarOf(files, r.time)
	if err != nil {
		return nil, err
	}
	data, err = gzipped(data, gzip.DefaultCompression) // the library would compress it several times
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		tarball.WithMediaType(types.OCILayer),
	)
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "make release"},
	})
	if err != nil {
		return nil, err
	}
	c, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.Created, c.OS, c.Architecture, c.Config = v1.Time{Time: r.time}, b.os, b.arch, r.imageConfig()
	return mutate.ConfigFile(image, c)
}

// imageConfig returns how containers run the image. configs/container/Dockerfile says the same.
func (r release) imageConfig() v1.Config {
	return v1.Config{
		User:         "65532:65532",
		Entrypoint:   []string{"/usr/local/bin/stoa"},
		Cmd:          []string{"serve"},
		Env:          []string{"PATH=/usr/local/bin", "STOA_DATA_DIR=/data", "STOA_HTTP_ADDR=0.0.0.0:9991"},
		ExposedPorts: map[string]struct{}{"9991/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		WorkingDir:   "/data",
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/usr/local/bin/stoa", "health"}, Interval: 30 * time.Second, Timeout: 10 * time.Second,
			StartPeriod: time.Minute,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Stoa",
			"org.opencontainers.image.description": "A team chat server",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.time.Format(time.RFC3339),
			"org.opencontainers.image.source":      homepage,
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
}

// imageContent returns the files of the image: the server with what it expects of a system.
func (r release) imageContent(b binary, generated map[string][]byte) ([]file, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	license, err := r.read("LICENSE")
	if err != nil {
		return nil, err
	}
	files := withFolders([]file{
		{path: "usr/local/bin/stoa", mode: 0o755, data: program},
		{path: "etc/passwd", mode: 0o644, data: []byte("stoa:x:65532:65532:Stoa:/data:/usr/local/bin/stoa\n")},
		{path: "etc/group", mode: 0o644, data: []byte("stoa:x:65532:\n")},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities()},
		{path: "usr/share/doc/stoa/LICENSE", mode: 0o644, data: license[0].data},
		{path: "usr/share/doc/stoa/THIRD_PARTY_LICENSES.txt", mode: 0o644, data: generated["THIRD_PARTY_LICENSES.txt"]},
	})
	return append(files,
		file{path: "data", mode: fs.ModeDir | 0o700, uid: nonroot},
		file{path: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
	), nil
}

// authorities returns the certificate authorities that Mozilla trusts without constraints. They come from a Go module,
// so that they do not depend on the machine that builds the release.
func authorities() []byte {
	var b strings.Builder
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return []byte(b.String())
}
