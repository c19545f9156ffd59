package language

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Texts are translations that a module brings for pages and emails of its own, by language.
type Texts map[string]map[string]string

// Read reads the translations of a module: files named after the codes of languages, such as de.json, each an object
// with the English texts as keys. A language without a file, and a text that a file lacks, stay English.
func Read(files fs.FS) (Texts, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	t := Texts{}
	for _, name := range names {
		code := strings.TrimSuffix(path.Base(name), ".json")
		if l := find(code); l == nil || l.Code != code {
			return nil, fmt.Errorf("texts: %s is not named after a language of the server", name)
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		texts := map[string]string{}
		if err := json.Unmarshal(b, &texts); err != nil {
			return nil, fmt.Errorf("texts: %s: %w", name, err)
		}
		t[code] = texts
	}
	return t, nil
}

// In returns a language that has these texts besides its own.
func (t Texts) In(l *Language) *Language {
	own := t[l.Code]
	if len(own) == 0 {
		return l
	}
	with := *l
	with.own = own
	return &with
}
