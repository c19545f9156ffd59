package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// partsFolder is the folder below prefix with the files that other modules add to the client.
const partsFolder = "modules/"

// listedPart describes a module's part of the client in the list on the page.
type listedPart struct {
	Name   string `json:"name"`
	Script string `json:"script"`
	Style  string `json:"style,omitempty"`
}

// parts holds what other modules add to the client: their files, by path below prefix, and the list for the page,
// escaped for HTML.
type parts struct {
	files map[string]*asset
	list  string
}

// readParts reads the parts of all modules. The URL of each file contains a hash of all files of its part, so browsers
// may cache it forever.
func readParts(all []kit.Contribution) (parts, error) {
	p := parts{files: map[string]*asset{}}
	var list []listedPart
	for _, m := range all {
		part := m.Parts.Web
		if part.Files == nil {
			continue
		}
		files, sum, err := readFiles(part.Files)
		if err != nil {
			return parts{}, err
		}
		folder := partsFolder + m.Module + "/" + sum + "/"
		for name, a := range files {
			p.files[folder+name] = a
		}
		one := listedPart{Name: m.Module, Script: prefix + "/" + folder + part.Script}
		if part.Style != "" {
			one.Style = prefix + "/" + folder + part.Style
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return p, nil
	}
	slices.SortFunc(list, func(a, b listedPart) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(list)
	p.list = html.EscapeString(string(text))
	return p, err
}

func readFiles(all fs.FS) (map[string]*asset, string, error) {
	files, hash := map[string]*asset{}, sha256.New()
	err := fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(all, name)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(hash, name+"\x00") // never fails
		_, _ = hash.Write(b)
		a := &asset{mediaType: mediaTypes[path.Ext(name)], cache: immutable, plain: newBody(b)}
		if a.mediaType == "" {
			a.mediaType = unknownType
		}
		files[name] = a
		return nil
	})
	return files, base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:9]), err
}
