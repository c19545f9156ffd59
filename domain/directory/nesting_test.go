package directory_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Whoever was asked about long ago keeps nothing of how groups were nested then: 500 times 500 groups would be 16 MB.
func TestNestingIsForgotten(t *testing.T) {
	const n = 500
	var b directory.Builder
	for i := range n {
		b.User(&user.User{ID: user.ID(i + 1), Role: user.Member, Active: true, DeliveryEmail: fmt.Sprint(i)})
		b.Group(&group.Group{ID: group.FirstCustom + group.ID(i), Members: user.Set{user.ID(i + 1)}, Subgroups: group.Set{group.FirstCustom + group.ID(i) + 1}})
	}
	v := b.View(1)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range n {
		old := v.Group(group.FirstCustom)
		now := *old
		now.Subgroups = group.Set{group.FirstCustom + 1, group.FirstCustom + 2 + group.ID(i%2)}
		v = v.Apply(v.Seq()+1, directory.OfGroup(old, &now))
		if !v.Belongs(user.ID(i+1), group.FirstCustom) {
			t.Fatalf("user %d is not in the topmost group", i+1)
		}
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("%d KB are kept", (after-before)>>10)
	}
	runtime.KeepAlive(v)
}

// A ring, should there be one, is gone round once.
func TestRing(t *testing.T) {
	var b directory.Builder
	const first = group.FirstCustom
	for i, subs := range []group.Set{{first + 1}, {first + 2, first + 3}, {first + 1}, nil} { // 1 and 2 hold each other
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
