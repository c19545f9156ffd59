package events

import (
	"sync"
	"testing"
)

func TestEqualParts(t *testing.T) {
	type plainPart struct {
		Name string
		N    int
		Yes  bool
	}
	type otherPart plainPart
	type deepPart struct{ List []string }
	one, another := "x", "x"
	for name, c := range map[string]struct {
		a, b any
		want bool
	}{
		"nothing":              {nil, nil, true},
		"nothing and a part":   {nil, plainPart{}, false},
		"plain":                {plainPart{"a", 1, true}, plainPart{"a", 1, true}, true},
		"plain, another":       {plainPart{"a", 1, true}, plainPart{"a", 2, true}, false},
		"of another type":      {plainPart{}, otherPart{}, false},
		"lists":                {deepPart{[]string{"a"}}, deepPart{[]string{"a"}}, true},
		"lists, another":       {deepPart{[]string{"a"}}, deepPart{[]string{"b"}}, false},
		"pointers to the same": {&one, &another, true},
		"maps":                 {map[string]any{"a": 1}, map[string]any{"a": 1}, true},
	} {
		if got := equalParts(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// If many receivers share a few different parts, each part is encoded once and every receiver gets the right part.
func TestPersonalOfMany(t *testing.T) {
	type part struct {
		N int `json:"n"`
	}
	c := &content{}
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			got, err := c.personal(part{i % 3})
			if want := `,"n":` + string(rune('0'+i%3)); err != nil || string(got) != want {
				t.Errorf("%s, %v; want %s", got, err, want)
			}
		})
	}
	all.Wait()
	if len(c.own) != 3 {
		t.Errorf("%d parts were encoded instead of 3", len(c.own))
	}
}
