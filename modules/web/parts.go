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

	"github.com/stoachat/stoa/domain/webpart"
	"github.com/stoachat/stoa/modules/kit"
)

// partsFolder is the folder below prefix with the files that other modules add to the client.
const partsFolder = "modules/"

// parts holds what other modules add to the client: their files, by path below prefix, and the list for the page, also
// escaped for HTML.
type parts struct {
	files map[string]*asset
	all   []webpart.Part
	list  string
}

// readParts reads the parts of all modules. The URL of each file contains a hash of all files of its part, so browsers
// may cache it forever.
func readParts(all []kit.Contribution) (parts, error) {
	p := parts{files: map[string]*asset{}}
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
		one := webpart.Part{Name: m.Module, Script: prefix + "/" + folder + part.Script}
		if part.Style != "" {
			one.Style = prefix + "/" + folder + part.Style
		}
		p.all = append(p.all, one)
	}
	list, err := escaped(p.all)
	p.list = list
	return p, err
}

// escaped returns a list of parts for the page, escaped for HTML; "" for an empty one.
func escaped(list []webpart.Part) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	slices.SortFunc(list, func(a, b webpart.Part) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(list)
	return html.EscapeString(string(text)), err
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
		a := &asset{mediaType: mediaTypes[path.Ext(name)], cache: immutable, plain: newBody(all, name)}
		if a.mediaType == "" {
			a.mediaType = unknownType
		}
		files[name] = a
		return nil
	})
	return files, base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:9]), err
}
