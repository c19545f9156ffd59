package kernel

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
)

// A node that finds an entry of a newer version refuses to serve, and says why, instead of guessing what the entry
// means.
func TestNewerEntry(t *testing.T) {
	for change, want := range map[string]string{
		"format = 2": "entry 2 of realm 1 has format 2, and this version reads formats up to 1",
		"aud = 77":   "entry 2 of realm 1 is for an audience of kind 77",
	} {
		w := newCluster(t)
		a, b := w.node(), w.node()
		a.must(a.put(bg, 1, 1, named("1")))
		if _, err := b.View(bg, 1); err != nil {
			t.Fatal(err)
		}
		a.must(a.put(bg, 1, 1, named("2")))
		tx, _, err := a.db.Begin(bg, bunstore.Changing)
		a.must(err)
		a.must(tx.Commit(bg, "UPDATE realm_events SET "+change+" WHERE seq = 2"))
		if err := b.Check(bg); err != nil {
			t.Error(err)
		}
		if _, err := b.Verified(bg, 1); !errs.Is(err, errs.Unavailable) {
			t.Errorf("%s: a request got %v", change, err)
		}
		if err := b.Check(bg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the health check got %v", change, err)
		}
		if err := a.Check(bg); err != nil {
			t.Error(err)
		}
	}
}
