package presence

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// table contains the stored rows.
type table map[user.ID]row

func (t table) from(counter int64) ([]*row, error) {
	var out []*row
	for _, r := range t {
		if r.Counter >= counter {
			out = append(out, &r)
		}
	}
	slices.SortFunc(out, func(a, b *row) int { return cmp.Compare(a.Counter, b.Counter) })
	return out, nil
}

func (t table) highest() (n int64) {
	for _, r := range t {
		n = max(n, r.Counter)
	}
	return n
}

func printed(rows []*row) string {
	lines := []string{}
	for _, r := range rows {
		lines = append(lines, fmt.Sprint(r.UserID, r.Counter, r.ConnectedAt.Unix(), r.ActiveAt.Unix()))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}

// Whatever is cached, and whatever is concurrently written or read, the response matches the stored rows as of the read
// or of the snapshot. Occasionally the table is restored to an earlier state.
func TestCacheMatchesStoredRows(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		stored, old := table{}, table{}
		caches := []*rowCache{{at: map[user.ID]int{}}, {at: map[user.ID]int{}}}
		change := func() {
			now = now.Add(time.Second)
			u := user.ID(r.IntN(1+r.IntN(30)) + 1)
			stored[u] = row{UserID: u, Counter: stored.highest() + 1, ConnectedAt: now,
				ActiveAt: now.Add(-time.Duration(r.IntN(100)) * time.Second)}
		}
		var ask func(depth int)
		ask = func(depth int) {
			q := &query{counter: r.Int64N(stored.highest() + 3), snapshot: r.IntN(3) == 0}
			if r.IntN(3) == 0 {
				q = &query{since: now.Add(-time.Duration(r.IntN(60)) * time.Second), snapshot: q.snapshot}
			}
			seen := stored
			if q.snapshot && r.IntN(2) == 0 {
				seen = maps.Clone(stored)
				change() // other queries may read and cache it before this one
				ask(3)
			}
			var asOf table
			got, err := caches[r.IntN(2)].query(q, func(counter int64) ([]*row, error) {
				for range r.IntN(2) { // during the read
					change()
					if depth < 3 {
						ask(depth + 1)
					}
				}
				asOf = maps.Clone(seen)
				return asOf.from(counter)
			})
			if err != nil {
				t.Fatal(err)
			}
			all, _ := asOf.from(0)
			want := q.merge(nil, all)
			if printed(got) != printed(want) {
				t.Fatalf("seed %d: %+v\n got %s\nwant %s", seed, *q, printed(got), printed(want))
			}
		}
		for range 300 {
			switch n := r.IntN(40); {
			case n < 20:
				change()
			case n == 20:
				old = maps.Clone(stored)
			case n == 21 && len(old) > 0: // as after a restore
				stored = maps.Clone(old)
				for _, b := range caches { // as on a new epoch of the kernel
					b.replace(nil)
				}
			default:
				ask(0)
			}
		}
		for _, b := range caches {
			if len(b.list)-b.outdated != len(b.at) || b.outdated > len(b.at)+64 {
				t.Errorf("seed %d: %d entries, %d of them outdated, for %d users", seed, len(b.list), b.outdated, len(b.at))
			}
		}
	}
}

// The cache detects that it is outdated even without a new epoch.
func TestCacheDetectsOtherTable(t *testing.T) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	b := &rowCache{at: map[user.ID]int{}}
	for name, stored := range map[string]table{
		"nothing":                {},
		"lower counters":         {1: {UserID: 1, Counter: 1, ConnectedAt: at}},
		"another user's counter": {1: {UserID: 1, Counter: 3, ConnectedAt: at.Add(time.Second)}},
		"at another time":        {2: {UserID: 2, Counter: 3, ConnectedAt: at.Add(time.Second)}},
		"others came after":      {1: {UserID: 1, Counter: 4, ConnectedAt: at}, 2: {UserID: 2, Counter: 1, ConnectedAt: at}},
	} {
		b.replace([]*row{{UserID: 1, Counter: 2, ConnectedAt: at}, {UserID: 2, Counter: 3, ConnectedAt: at}})
		got, err := b.query(&query{}, stored.from)
		want, _ := stored.from(0)
		if err != nil || printed(got) != printed(want) {
			t.Errorf("%s: got %s, want %s", name, printed(got), printed(want))
		}
		if got, _ := b.query(&query{}, stored.from); printed(got) != printed(want) {
			t.Errorf("%s, again: got %s, want %s", name, printed(got), printed(want))
		}
	}
}
