package filter_test

import (
	"testing"

	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// FuzzFilter parses and evaluates anything.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{
		`userName eq "a" and not (emails[type eq "work" and value co "@"] or active eq true)`, `"\`, `a eq "\"`, `a.`,
		`urn:ietf:params:scim:schemas:core:2.0:User:name.familyName pr`, `urn:x:y[`, `emails[type eq "work"].value`,
		`a eq -1e9`, `.`,
	} {
		f.Add(text)
	}
	people := schema.User(false)
	object := map[string]any{
		"userName": "a", "active": true, "name": map[string]any{"familyName": "b"},
		"emails": []any{map[string]any{"value": "a@b", "type": "work", "primary": true}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := filter.Parse(text); err == nil {
			filter.Match(people, e, object)
			filter.Required(e, "userName")
			filter.Equalities(e)
			filter.MatchValue(people.Find("", "emails"), e, map[string]any{"value": "a@b"})
		}
		if p, err := filter.ParsePath(text); err == nil && p.Attribute == "" {
			t.Errorf("%q has no attribute", text)
		}
	})
}
