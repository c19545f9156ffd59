package openapi

import (
	_ "embed" // words.txt
	"strings"
	"sync"
)

// A name has the same meaning wherever it occurs on the wire, so words.txt describes each name once. What it means in
// one place only is said there: by a tag doc:"...", or by the Words of a module.
//
//go:embed words.txt
var wordsText string

// words returns the descriptions by name.
var words = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(wordsText) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[name] = text
	}
	return all
})
