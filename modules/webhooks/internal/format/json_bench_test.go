package format

import (
	"strings"
	"testing"
)

// BenchmarkHostileTemplate runs templates that are as expensive as their limits allow.
func BenchmarkHostileTemplate(b *testing.B) {
	list := []byte("[" + strings.Repeat(`[],`, 100_000) + `"` + strings.Repeat("`*", 8000) + `"]`)
	for name, text := range map[string]string{
		"loops":   "{{range .}}{{range $}}{{range $}}{{end}}{{end}}{{end}}",
		"json":    "{{range .}}{{len (print $ $ $ $)}}{{end}}",
		"text":    `{{$a := get "100000"}}{{range .}}{{len (quote $a)}}{{end}}`,
		"replace": "{{$a := get \"100000\"}}{{range .}}{{len (replace \"`*\" \"xx\" $a)}}{{end}}",
		"output":  strings.Repeat("{{$}}", 900),
		"words":   `{{$a := get "100000"}}{{range .}}{{len (link (words (upper (plain $a))) $a)}}{{end}}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := Request{Type: "application/json", Body: list, Params: map[string]string{"template": text}}
				if _, err := plainJSON().Format(r); err != nil && err != ErrSkip { //nolint:errorlint // not wrapped
					b.Fatal(err)
				}
			}
		})
	}
}
