package channel

import (
	"fmt"
	"strings"
	"testing"
)

func TestBundles(t *testing.T) {
	for sent, want := range map[string]string{
		" News ": "News", "": "!", "   ": "!", strings.Repeat("é", 60): strings.Repeat("é", 60), strings.Repeat("é", 61): "!",
		"a\x00b": "!", "a\nb": "!",
	} {
		got, err := CheckBundleName(sent)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("name %q: %q, want %q", sent, got, want)
		}
	}
	for sent, ok := range map[string]bool{"": true, strings.Repeat("é", 1024): true, strings.Repeat("é", 1025): false,
		"\x00": false, "a\nb": true} {
		if _, err := CheckBundleDescription(sent); (err == nil) != ok {
			t.Errorf("description %.20q: %v", sent, err)
		}
	}
	all := []Bundle{{ID: 1, Name: "News"}, {ID: 2, Name: "Fun"}, {ID: 3, Name: "FUN"}}
	for name, b := range map[string]struct {
		Bundle
		ok bool
	}{"its own name": {Bundle{ID: 1, Name: "news"}, true}, "another's": {Bundle{ID: 2, Name: "NEWS"}, false},
		"new": {Bundle{Name: "x"}, true}, "shared with another": {Bundle{ID: 3, Name: "FUN"}, true}} {
		if err := CheckBundles(all, &b.Bundle, strings.ToLower); (err == nil) != b.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := Bundle{Name: "News"}
	var steps []string
	step := func(err error) { steps = append(steps, fmt.Sprint(b.Channels, err == nil)) }
	step(b.Add(&Channel{ID: 7}))
	step(b.Add(&Channel{ID: 5}))
	step(b.Add(&Channel{ID: 7}))
	step(b.Add(&Channel{ID: 8, Default: true}))
	step(b.Add(&Channel{ID: 9, Private: true}))
	step(b.Remove(&Channel{ID: 7}))
	step(b.Remove(&Channel{ID: 7}))
	if got := strings.Join(steps, " "); got != "[7] true [5 7] true [5 7] false [5 7] false [5 7] false [5] true [5] "+
		"false" {
		t.Error(got)
	}
}
