package imports_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

var programs = []program{ofSlack, ofMattermost, ofZulip}

// TestGenerated imports generated archives of all programs, and of the same a day later: what people read by the API
// is what the model says. The second archive adds what is new and changes nothing that was imported before. Stoa's
// archives are exports of what was imported from Zulip.
func TestGenerated(t *testing.T) {
	seeds, people, rooms, notes := uint64(1), 8, 5, 80
	if testrun.Long() {
		seeds, people, rooms, notes = 2, 50, 30, 1200
	}
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for seed := range seeds {
			c := generateCommunity(seed, people, rooms, notes)
			for _, p := range programs {
				name := "my-" + p.name + string(rune('a'+seed))
				s.growing(t, c, p, name, func(day int) result {
					return s.imported(t, p.name, name, p.archive(c, day).save(t))
				})
			}
			from := "old" + string(rune('a'+seed))
			s.growing(t, c, ofZulip, "new"+string(rune('a'+seed)), func(day int) result {
				old := s.imported(t, "zulip", from, ofZulip.archive(c, day).save(t))
				if err := s.Ports.Settings.Set(t.Context(), old.Realm, "owner_full_content_access", true); err != nil {
					t.Fatal(err)
				}
				at := filepath.Join(t.TempDir(), "archive.tar.gz")
				if err := os.WriteFile(at, s.export(s.at(old, from, "person0")), 0o600); err != nil {
					t.Fatal(err)
				}
				return s.imported(t, "stoa", "new"+string(rune('a'+seed)), at)
			})
		}
	})
}

// growing imports the archives of two days, and compares what has become of each.
func (s *server) growing(t *testing.T, c *community, p program, name string, run func(day int) result) {
	t.Helper()
	first := c.expected(p, 0)
	s.matches(t, run(0), name, c, p, 0, first)
	s.matches(t, run(1), name, c, p, 1, grown(first, c.expected(p, 1)))
}

// imported imports an archive, of which nothing may be malformed.
func (s *server) imported(t *testing.T, program, name, archive string) result {
	t.Helper()
	r, err := s.command(t.Context(), "import "+program, map[string]any{"Archive": archive, "Realm": name})
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	for _, why := range r.Reasons {
		if why.Outcome == "refused" {
			t.Errorf("%s: %+v", program, why)
		}
	}
	return r
}
