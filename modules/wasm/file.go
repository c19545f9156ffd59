package wasm

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// The files of a package. The others are below web.
const (
	manifestName  = "manifest.json"
	codeName      = "module.wasm"
	sumsName      = "SHA256SUMS"     // in the format of sha256sum, of all files but these two
	signatureName = "SHA256SUMS.sig" // 64 bytes, Ed25519 (RFC 8032)
	webFolder     = "web/"
)

const (
	maxFiles    = 100
	maxUnpacked = 64 << 20 // bytes of all files together
)

// pack is the content of a package, a ZIP file with the extension .stoamod.
type pack struct {
	manifest *manifest
	files    map[string][]byte
	hash     string // of the package
	signed   bool
}

// unpack reads a package and checks everything but the code. Errors: BadRequest.
func unpack(file []byte, keys []string) (*pack, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, errs.Bad("The file is not a package of a module, which is a ZIP file: %v", err)
	}
	sum := sha256.Sum256(file)
	p := &pack{files: map[string][]byte{}, hash: hex.EncodeToString(sum[:])}
	if len(archive.File) > maxFiles {
		return nil, errs.Bad("The package contains more than %d files.", maxFiles)
	}
	room := int64(maxUnpacked)
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := p.add(f, &room); err != nil {
			return nil, errs.Bad("The package can't be used: %v", err)
		}
	}
	if p.files[codeName] == nil {
		return nil, errs.Bad("The package contains no %s.", codeName)
	}
	if p.manifest, err = readManifest(p.files[manifestName]); err != nil {
		return nil, err
	}
	for _, name := range []string{p.manifest.Script, p.manifest.Style} {
		if name != "" && (p.files[name] == nil || !strings.HasPrefix(name, webFolder)) {
			return nil, errs.Bad("The package contains no %s; scripts and styles are below %s.", name, webFolder)
		}
	}
	if p.signed, err = p.verify(keys); err != nil {
		return nil, errs.Bad("The signature can't be used: %v", err)
	}
	if len(keys) > 0 && !p.signed {
		return nil, errs.Bad("The package is not signed by a key in modules.wasm.signers.")
	}
	return p, nil
}

func (p *pack) add(f *zip.File, room *int64) error {
	known := slices.Contains([]string{manifestName, codeName, sumsName, signatureName}, f.Name) ||
		strings.HasPrefix(f.Name, webFolder) && webTypes[path.Ext(f.Name)] != ""
	switch {
	case !known || !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) || !f.Mode().IsRegular():
		return fmt.Errorf("unexpected file %q", f.Name)
	case p.files[f.Name] != nil:
		return fmt.Errorf("two files %q", f.Name)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(r, *room+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("%q: %w", f.Name, err)
	}
	if *room -= int64(len(b)); *room < 0 {
		return fmt.Errorf("its files are larger than %d MiB together", maxUnpacked>>20)
	}
	p.files[f.Name] = b
	return nil
}

// verify reports whether the package is signed by one of the keys. It fails if the checksums are wrong.
func (p *pack) verify(keys []string) (bool, error) {
	sums := p.files[sumsName]
	if sums == nil {
		return false, nil
	}
	var want []string
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if name != sumsName && name != signatureName {
			want = append(want, fmt.Sprintf("%x  %s", sha256.Sum256(p.files[name]), name))
		}
	}
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		return false, fmt.Errorf("%s does not match the files", sumsName)
	}
	return slices.ContainsFunc(keys, func(text string) bool {
		key, err := publicKey(text)
		return err == nil && ed25519.Verify(key, sums, p.files[signatureName])
	}), nil
}

// publicKey decodes a key of the configuration.
func publicKey(text string) (ed25519.PublicKey, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != ed25519.PublicKeySize {
		return nil, errors.New("want the 32 bytes of a public key of Ed25519 in Base64")
	}
	return b, nil
}
