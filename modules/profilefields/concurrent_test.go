package profilefields_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestConcurrentChanges checks that a value set while its field or option is being deleted is either deleted too or
// refused.
func TestConcurrentChanges(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		people := []string{"alice", "bob", "mona", "guest"}
		for range 5 {
			gone, color := add(s, 1, "Gone"), add(s, 3, "Color", "field_data", list)
			var all sync.WaitGroup
			for _, who := range people {
				all.Go(func() {
					a := setValues(s, who, gone, `"x"`, color, `"r"`)
					if a.Status != 200 && !strings.Contains(a.Body, "not found") && !strings.Contains(a.Body, "not a valid choice") {
						t.Errorf("%s: %s", who, a.Body)
					}
				})
			}
			all.Go(func() { s.As("adam").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", gone)).OK() })
			all.Go(func() { patch(s, color, "field_data", `{"g":{"text":"Green","order":"1"}}`).OK() })
			all.Wait()
			for _, who := range people {
				if got := profile(s, "olga", who); got != "{}" {
					t.Errorf("%s has %s", who, got)
				}
			}
			s.As("adam").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", color)).OK()
		}
	})
}
