package directory

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// nesting is which groups are within which, at any depth. It is worked out when it is first asked for and shared by all
// versions until groups come, go or get other subgroups; who is in them does not matter. Whoever is in a group is in
// all that are above it, so each group keeps what is above it, as bits: that takes n²/8 bytes for n groups that are
// nested, 280 KB for 1,500, however many people are in them.
type nesting struct {
	mark  *mark
	ids   []group.ID // the groups that hold others or are held, rising; a bit stands for a place in it
	above []bits     // of the group at each place, which is one of them
}

// belonging is the groups that somebody is a direct member of, and what is above them.
type belonging struct {
	groups group.Set
	memo   Memo // *reached
}

// mark stands for a nesting where something is kept that may outlive it: the nesting itself would be kept with it.
type mark struct{ _ byte }

// nestable is where the nesting of some versions is, as long as it is one of the few that were made last: many versions
// are kept, and each may have groups nested in another way.
type nestable struct {
	mark *mark
	mu   sync.Mutex // held by whoever makes it
	is   atomic.Pointer[nesting]
	last *lately
}

// lately is the nestings that were made last, of a view and all that came from it.
type lately struct {
	mu  sync.Mutex
	all []*nestable
}

// keptNestings is how many of them are kept: of now, of just before, and of what units of work are about to make of it.
const keptNestings = 4

func (l *lately) add(n *nestable) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all = append(l.all, n); len(l.all) > keptNestings {
		l.all[0].is.Store(nil)
		l.all = slices.Clone(l.all[1:])
	}
}

func newNesting(l *lately) *nestable { return &nestable{mark: &mark{}, last: l} }

// reached is all that is above somebody's groups in one nesting.
type reached struct {
	of    *mark
	above bits
}

type bits []uint64

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func (b bits) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bits) add(o bits) (more bool) {
	for i, w := range o {
		if w&^b[i] != 0 {
			b[i] |= w
			more = true
		}
	}
	return more
}

// MemberOf gives the groups that u was made a direct member of, deactivated ones too.
func (v *View) MemberOf(u user.ID) group.Set {
	if b, ok := v.memberOf.get(u); ok {
		return b.groups
	}
	return nil
}

// Belongs tells whether u was made a direct member of a group, or of one within it.
func (v *View) Belongs(u user.ID, g group.ID) bool {
	b, ok := v.memberOf.get(u)
	if !ok {
		return false
	}
	n := v.nested()
	at, ok := n.place(g)
	if !ok {
		return b.groups.Has(g)
	}
	r, _ := Recall(
		&b.memo,
		func(r *reached) bool { return r.of == n.mark },
		func() (*reached, error) { return &reached{n.mark, n.over(b.groups)}, nil },
	)
	return r.above.has(at)
}

// Within tells whether sub is g or within it.
func (v *View) Within(sub, g group.ID) bool {
	n := v.nested()
	below, ok := n.place(sub)
	at, is := n.place(g)
	return sub == g || ok && is && n.above[below].has(at)
}

// Below gives groups and those within them.
func (v *View) Below(groups group.Set) group.Set {
	if !slices.ContainsFunc(groups, func(id group.ID) bool { g := v.Group(id); return g != nil && len(g.Subgroups) > 0 }) {
		return groups
	}
	n := v.nested()
	tops := n.none()
	var parts []int // of the bits, in which one is set
	for _, g := range groups {
		if at, ok := n.place(g); ok {
			tops.set(at)
			parts = append(parts, at/64)
		}
	}
	parts = slices.Compact(parts)
	var all group.Set
	for at, id := range n.ids {
		above := n.above[at]
		if slices.ContainsFunc(parts, func(i int) bool { return above[i]&tops[i] != 0 }) {
			all = append(all, id)
		}
	}
	return all.Union(groups)
}

// Above gives groups and those that they are within.
func (v *View) Above(groups group.Set) group.Set {
	if len(groups) == 0 {
		return nil
	}
	n := v.nested()
	over := n.over(groups)
	var all group.Set
	for at, id := range n.ids {
		if over.has(at) {
			all = append(all, id)
		}
	}
	return all.Union(groups)
}

func (n *nesting) none() bits { return make(bits, (len(n.ids)+63)/64) }

func (n *nesting) place(g group.ID) (int, bool) { return slices.BinarySearch(n.ids, g) }

// over gives the groups, as far as they are nested, and what is above them.
func (n *nesting) over(groups group.Set) bits {
	all := n.none()
	for _, g := range groups {
		if at, ok := n.place(g); ok {
			all.add(n.above[at])
		}
	}
	return all
}

func (v *View) nested() *nesting {
	at := v.nesting
	if n := at.is.Load(); n != nil {
		return n
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if n := at.is.Load(); n != nil {
		return n
	}
	n := &nesting{mark: at.mark}
	n.build(v)
	at.is.Store(n)
	at.last.add(at)
	return n
}

// build goes down from the groups that nothing holds. No group may hold itself; should one do so all the same, its ring
// is gone round until nothing new comes.
func (n *nesting) build(v *View) {
	involved := map[group.ID]struct{}{}
	for g := range v.Groups() {
		if len(g.Subgroups) == 0 {
			continue
		}
		involved[g.ID] = struct{}{}
		for _, sub := range g.Subgroups {
			if v.Group(sub) != nil {
				involved[sub] = struct{}{}
			}
		}
	}
	n.ids = slices.Sorted(maps.Keys(involved))
	n.above = make([]bits, len(n.ids))
	held, holding := make([]int, len(n.ids)), make([][]int, len(n.ids))
	each := len(n.none())
	all := make(bits, each*len(n.ids))
	for at, id := range n.ids {
		n.above[at] = all[at*each : (at+1)*each]
		n.above[at].set(at)
		for _, sub := range v.Group(id).Subgroups {
			if to, ok := n.place(sub); ok {
				holding[at] = append(holding[at], to)
				held[to]++
			}
		}
	}
	var free []int
	for at, by := range held {
		if by == 0 {
			free = append(free, at)
		}
	}
	done := 0
	for ; done < len(free); done++ {
		at := free[done]
		for _, to := range holding[at] {
			if !n.above[to].has(at) {
				n.above[to].add(n.above[at])
			}
			if held[to]--; held[to] == 0 {
				free = append(free, to)
			}
		}
	}
	for more := done < len(n.ids); more; {
		more = false
		for at, all := range holding {
			for _, to := range all {
				more = n.above[to].add(n.above[at]) || more
			}
		}
	}
}

// swapGroup puts a group in place of another, or takes it away.
func (v *View) swapGroup(had, now *group.Group) {
	var was, is user.Set
	id, held, holds := group.ID(0), group.Set(nil), group.Set(nil)
	if had != nil {
		id, was, held = had.ID, had.Members, had.Subgroups
	}
	if now != nil {
		id, is, holds = now.ID, now.Members, now.Subgroups
	}
	if now == nil {
		v.groups = v.groups.without(id)
	} else {
		v.groups = v.groups.with(id, now)
	}
	if (had == nil) != (now == nil) || !slices.Equal(held, holds) {
		v.nesting = newNesting(v.nesting.last)
	}
	one := group.Set{id}
	for _, u := range was.Minus(is) {
		v.memberOf = v.memberOf.with(u, &belonging{groups: v.MemberOf(u).Minus(one)})
	}
	for _, u := range is.Minus(was) {
		v.memberOf = v.memberOf.with(u, &belonging{groups: v.MemberOf(u).Union(one)})
	}
}
