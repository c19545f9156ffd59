package language

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Texts holds the translations of a module's own pages and emails, by language code.
type Texts map[string]map[string]string

// Read reads the translations of a module: files named after language codes, such as de.json, each an object with the
// English texts as keys. Texts without a translation stay English.
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

// In returns l with these texts added. They take precedence over those of l.
func (t Texts) In(l *Language) *Language {
	texts := t[l.Code]
	if len(texts) == 0 {
		return l
	}
	with := *l
	with.moduleTexts = texts
	return &with
}
