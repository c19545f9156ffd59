package directory_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Neither cached memberships nor old versions keep old nestings in memory: 500 nestings of 500 groups would take 16 MB.
func TestOldNestingsAreFreed(t *testing.T) {
	const n = 500
	var b directory.Builder
	for i := range n {
		b.User(&user.User{ID: user.ID(i + 1), Role: user.Member, Active: true, DeliveryEmail: fmt.Sprint(i)})
		b.Group(&group.Group{ID: group.FirstCustom + group.ID(i), Members: user.Set{user.ID(i + 1)},
			Subgroups: group.Set{group.FirstCustom + group.ID(i) + 1}})
	}
	v := b.View(1)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	versions := []*directory.View{v}
	for i := range n {
		old := v.Group(group.FirstCustom)
		now := *old
		now.Subgroups = group.Set{group.FirstCustom + 1, group.FirstCustom + 2 + group.ID(i%2)}
		v = v.Apply(v.Seq()+1, directory.OfGroup(old, &now))
		versions = append(versions, v)
		if !v.Belongs(user.ID(i+1), group.FirstCustom) {
			t.Fatalf("user %d is not in the topmost group", i+1)
		}
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("%d KB are kept", (after-before)>>10)
	}
	for i, v := range versions { // each version still has its own nesting
		if got, want := v.Within(group.FirstCustom+2, group.FirstCustom), true; got != want {
			t.Fatalf("version %d: %v", i, got)
		}
		want := group.Set{group.FirstCustom + 1, group.FirstCustom + 2, group.FirstCustom + 3}
		if got := v.Below(group.Set{group.FirstCustom})[1:4]; !slices.Equal(got, want) {
			t.Fatalf("version %d: %v", i, got)
		}
	}
}

// Several goroutines query a version for the first time while others query later ones.
func TestConcurrentNesting(t *testing.T) {
	var b directory.Builder
	const first = group.FirstCustom
	for i := range group.ID(50) {
		b.Group(&group.Group{ID: first + i, Subgroups: group.Set{first + i + 1}})
	}
	versions := []*directory.View{b.View(1)}
	for i := range group.ID(20) {
		v := versions[i]
		old := v.Group(first + i)
		now := *old
		now.Subgroups = nil
		versions = append(versions, v.Apply(v.Seq()+1, directory.OfGroup(old, &now)))
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for k := range versions {
				i := (k*7 + n) % len(versions) // in version i the first i groups contain nothing
				if v := versions[i]; v.Within(first+30, first+group.ID(i)) != true || i > 0 &&
					v.Within(first+30, first+group.ID(i)-1) {
					t.Errorf("version %d", i)
				}
			}
		})
	}
	all.Wait()
}

// A cycle is traversed once.
func TestNestingCycle(t *testing.T) {
	var b directory.Builder
	const first = group.FirstCustom
	for i, subs := range []group.Set{{first + 1}, {first + 2, first + 3}, {first + 1}, nil} { // 1 and 2 contain each other
		b.Group(&group.Group{ID: first + group.ID(i), Members: user.Set{user.ID(i + 1)}, Subgroups: subs})
	}
	v := b.View(1)
	for i, want := range []user.Set{{1, 2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {4}} {
		var got user.Set
		for u := range user.ID(6) {
			if v.Belongs(u, first+group.ID(i)) {
				got = append(got, u)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("group %d: %v, want %v", i, got, want)
		}
	}
}
