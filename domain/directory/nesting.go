package directory

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// nesting is the transitive closure of the subgroup relation. It is computed on first use and shared by all versions of
// a view until groups or subgroups change; members do not matter. A member of a group is in all groups above it, so
// each group stores the set of groups above it as bits: n²/8 bytes for n nested groups, 280 KB for 1,500, regardless
// of the number of members.
type nesting struct {
	mark  *mark
	ids   []group.ID // groups with a subgroup or supergroup, ascending; bits are indexes of ids
	above []bits     // by index in ids, including the group itself
}

// belonging holds the groups of which a user is a direct member, and caches the groups above them.
type belonging struct {
	groups group.Set
	memo   Memo // *reached
}

// mark identifies a nesting in caches that may outlive it, without keeping the nesting itself in memory.
type mark struct{ _ byte }

// lazyNesting computes the nesting of some versions of a view on first use. It drops the nesting when maxNestings more
// recent ones exist, since many versions are in memory and each may have a nesting of its own.
type lazyNesting struct {
	mark *mark
	mu   sync.Mutex // held while the nesting is computed
	is   atomic.Pointer[nesting]
	last *recentNestings
}

// recentNestings lists the most recently computed nestings of a view and its successors.
type recentNestings struct {
	mu  sync.Mutex
	all []*lazyNesting
}

// maxNestings is the number of nestings in memory: the current one, the previous one, and those of open units of work.
const maxNestings = 4

func (l *recentNestings) add(n *lazyNesting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all = append(l.all, n); len(l.all) > maxNestings {
		l.all[0].is.Store(nil)
		l.all = slices.Clone(l.all[1:])
	}
}

func newNesting(l *recentNestings) *lazyNesting { return &lazyNesting{mark: &mark{}, last: l} }

// reached holds the groups above a user's groups in one nesting.
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

// MemberOf returns the groups of which u is a direct member, including deactivated ones.
func (v *View) MemberOf(u user.ID) group.Set {
	if b, ok := v.memberOf.get(u); ok {
		return b.groups
	}
	return nil
}

// Belongs reports whether u is a member of a group, directly or through nested subgroups.
func (v *View) Belongs(u user.ID, g group.ID) bool {
	b, ok := v.memberOf.get(u)
	if !ok {
		return false
	}
	n := v.nested()
	at, ok := n.index(g)
	if !ok {
		return b.groups.Has(g)
	}
	r, _ := Recall(
		&b.memo,
		func(r *reached) bool { return r.of == n.mark },
		func() (*reached, error) { return &reached{n.mark, n.ancestors(b.groups)}, nil },
	)
	return r.above.has(at)
}

// Within reports whether sub is g or is nested in it.
func (v *View) Within(sub, g group.ID) bool {
	n := v.nested()
	below, ok := n.index(sub)
	at, is := n.index(g)
	return sub == g || ok && is && n.above[below].has(at)
}

// Below returns the given groups and all groups nested in them.
func (v *View) Below(groups group.Set) group.Set {
	if !slices.ContainsFunc(groups, func(id group.ID) bool { g := v.Group(id); return g != nil && len(g.Subgroups) > 0 }) {
		return groups
	}
	n := v.nested()
	tops := n.newBits()
	var parts []int // indexes of non-zero words
	for _, g := range groups {
		if at, ok := n.index(g); ok {
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

// Above returns the given groups and all groups that contain them.
func (v *View) Above(groups group.Set) group.Set {
	if len(groups) == 0 {
		return nil
	}
	n := v.nested()
	over := n.ancestors(groups)
	var all group.Set
	for at, id := range n.ids {
		if over.has(at) {
			all = append(all, id)
		}
	}
	return all.Union(groups)
}

func (n *nesting) newBits() bits { return make(bits, (len(n.ids)+63)/64) }

func (n *nesting) index(g group.ID) (int, bool) { return slices.BinarySearch(n.ids, g) }

// ancestors returns those of the groups that have an index, and all groups above them.
func (n *nesting) ancestors(groups group.Set) bits {
	all := n.newBits()
	for _, g := range groups {
		if at, ok := n.index(g); ok {
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

// build descends from the groups that no other group contains. Cycles are not allowed; should one exist, it is
// traversed until nothing new is found.
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
	each := len(n.newBits())
	all := make(bits, each*len(n.ids))
	for at, id := range n.ids {
		n.above[at] = all[at*each : (at+1)*each]
		n.above[at].set(at)
		for _, sub := range v.Group(id).Subgroups {
			if to, ok := n.index(sub); ok {
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

// swapGroup replaces or removes a group.
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
