package directory_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

func (p *plain) changeGroup(r *rand.Rand) []directory.Change {
	id, ok := pick(r, p.groups, ids)
	if !ok || r.IntN(4) == 0 {
		id = group.FirstCustom + group.ID(r.IntN(teams))
		if _, ok := p.groups[id]; ok {
			return nil
		}
		g := group.Group{ID: id, Name: "new", Members: idset.Of(user.ID(1+r.IntN(people)), user.ID(1+r.IntN(people)))}
		if r.IntN(2) == 0 {
			g.Subgroups = idset.Of(group.FirstCustom + group.ID(r.IntN(teams)))
		}
		p.groups[id] = g
		return []directory.Change{directory.OfGroup(nil, &g)}
	}
	old := p.groups[id]
	now := old
	switch r.IntN(6) {
	case 0:
		delete(p.groups, id)
		return []directory.Change{directory.OfGroup(&old, nil)}
	case 4, 5: // cycles and deleted groups are allowed
		now.Subgroups = idset.Of(group.Members, group.FirstCustom+group.ID(r.IntN(teams)),
			group.FirstCustom+group.ID(r.IntN(teams)))[r.IntN(3):]
		p.groups[id] = now
		return []directory.Change{directory.OfGroup(&old, &now)}
	case 1:
		now.Name, now.Members = fmt.Sprint("name ", r.IntN(9)), nil // members are not part of the record's change
		c := directory.OfGroup(&old, &now)
		kept := now
		kept.Members = old.Members
		p.groups[id] = kept
		return []directory.Change{c}
	}
	u := user.Set{user.ID(1 + r.IntN(people))}
	m := &directory.Members{Group: id}
	if old.Members.Has(u[0]) {
		m.Remove, now.Members = u, old.Members.Minus(u)
	} else {
		m.Add, now.Members = u, old.Members.Union(u)
	}
	p.groups[id] = now
	return []directory.Change{{Members: m}}
}

// below adds a group and those nested in it to all. The subgroups of system groups never change.
func (p *plain) below(id group.ID, all group.Set) group.Set {
	subs := p.groups[id].Subgroups
	if id < group.FirstCustom {
		subs = group.System()[id-1].Subgroups
	} else if _, ok := p.groups[id]; !ok {
		return all
	}
	if all.Has(id) {
		return all
	}
	all = all.Union(group.Set{id})
	for _, sub := range subs {
		all = p.below(sub, all)
	}
	return all
}
