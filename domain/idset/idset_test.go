package idset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/idset"
)

type id int64

// The set operations agree with a naive implementation.
func TestOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var a, b []id
		for range r.IntN(40) {
			a = append(a, id(r.IntN(60)))
		}
		for range r.IntN(400) {
			b = append(b, id(r.IntN(500)))
		}
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		in := func(l []id) func(id) bool { return func(x id) bool { return slices.Contains(l, x) } }
		want := func(keep func(id) bool) idset.Set[id] {
			var out []id
			for x := range id(501) {
				if keep(x) {
					out = append(out, x)
				}
			}
			return out
		}
		inA, inB := in(a), in(b)
		sa, sb := idset.Of(a...), idset.Of(b...)
		for name, pair := range map[string][2]idset.Set[id]{
			"union": {sa.Union(sb), want(func(x id) bool { return inA(x) || inB(x) })},
			"minus": {sa.Minus(sb), want(func(x id) bool { return inA(x) && !inB(x) })},
			"and":   {sa.And(sb), want(func(x id) bool { return inA(x) && inB(x) })},
			"from":  {sa.From(30), want(func(x id) bool { return inA(x) && x >= 30 })},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Fatalf("%s of %v and %v: got %v, want %v", name, a, b, pair[0], pair[1])
			}
		}
	}
}

func TestUnionOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 60 {
		var sets []idset.Set[id]
		var all []id
		for range n {
			most, ids := 5, []id(nil)
			if n > 50 {
				most = 30_000 // too many to be built in one step
			}
			for range r.IntN(most) {
				ids = append(ids, id(r.IntN(12*most)))
			}
			sets, all = append(sets, idset.Of(ids...)), append(all, ids...)
		}
		if got, want := idset.Union(sets...), idset.Of(all...); !slices.Equal(got, want) {
			t.Fatalf("%d sets: %d ids, want %d", n, len(got), len(want))
		}
	}
}
