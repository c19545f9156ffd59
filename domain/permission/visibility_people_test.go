package permission_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

func changedBy(v *directory.View, changes ...directory.Change) *directory.Changed {
	return &directory.Changed{Realm: 1, Before: v, After: v.Apply(v.Seq()+1, changes...), Changes: changes}
}

func TestUserVisibilityChanges(t *testing.T) {
	v := view(restricted)
	free := *v.Realm()
	free.Settings.Groups = map[string]group.Setting{}
	promoted := *v.User(lone)
	promoted.Role = user.Member
	subs := func(add, remove user.Set) directory.Change {
		return directory.Change{Subs: &directory.Subs{Channel: 1, Add: add, Remove: remove}}
	}
	all := idset.Of[user.ID](olga, adam, mona, alice, bob, guest, gone, lone)
	for _, c := range []struct {
		name   string
		change directory.Change
		want   []permission.UserVisibility
	}{
		{"a name", directory.OfUser(v.User(alice), v.User(alice)), nil},
		{"a user joins a channel", subs(user.Set{bob}, nil),
			[]permission.UserVisibility{{Guest: guest, Gained: user.Set{bob}}}},
		{"a guest joins a channel", subs(user.Set{lone}, nil), []permission.UserVisibility{
			{Guest: guest, Gained: user.Set{lone}}, {Guest: lone, Gained: idset.Of[user.ID](alice, guest)},
		}},
		{"a guest leaves it", subs(nil, user.Set{guest}), []permission.UserVisibility{{Guest: guest, Lost: user.Set{alice}}}},
		{"a conversation", directory.Change{Introduced: &directory.Introduced{Guest: guest,
			With: idset.Of[user.ID](alice, adam)}},
			[]permission.UserVisibility{{Guest: guest, Gained: user.Set{adam}}}},
		{"a guest becomes a member", directory.OfUser(v.User(lone), &promoted),
			[]permission.UserVisibility{{Guest: lone, Gained: all.Minus(user.Set{lone})}}},
		{"guests see everyone", directory.OfRealm(v.Realm(), &free), []permission.UserVisibility{
			{Guest: guest, Gained: all.Minus(idset.Of[user.ID](guest, alice))}, {Guest: lone, Gained: all.Minus(user.Set{lone})},
		}},
	} {
		m := changedBy(v, c.change)
		if got := permission.UserVisibilityChanges(m); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// All hooks of a change share one result, computed once.
func TestUserVisibilityIsSharedByHooks(t *testing.T) {
	v := view(restricted)
	of := func(u user.ID) *directory.Changed {
		return changedBy(v, directory.Change{Subs: &directory.Subs{Channel: 1, Add: user.Set{u}}})
	}
	m := of(bob)
	first, second, other := permission.UserVisibilityChanges(m), permission.UserVisibilityChanges(m),
		permission.UserVisibilityChanges(of(mona))
	if len(first) != 1 || len(second) != 1 || &first[0] != &second[0] {
		t.Errorf("%v and %v are computed separately", first, second)
	}
	if fmt.Sprint(other) == fmt.Sprint(first) {
		t.Errorf("another change shares the result: %v", other)
	}
}

// Guests who start to see the same users form one group.
func TestVisibilityGroups(t *testing.T) {
	v := view(restricted)
	v = v.Apply(v.Seq()+1, directory.Change{Subs: &directory.Subs{Channel: 1, Add: user.Set{lone}}})
	free := *v.Realm()
	free.Settings.Groups = map[string]group.Setting{}
	rest := idset.Of[user.ID](olga, adam, mona, bob, gone)
	for _, c := range []struct {
		name   string
		change directory.Change
		want   []permission.VisibilityGroup
	}{
		{"a user joins", directory.Change{Subs: &directory.Subs{Channel: 1, Add: user.Set{bob}}},
			[]permission.VisibilityGroup{{idset.Of[user.ID](guest, lone), user.Set{bob}}}},
		{"guests see everyone", directory.OfRealm(v.Realm(), &free),
			[]permission.VisibilityGroup{{idset.Of[user.ID](guest, lone), rest}}},
		{"one more", directory.Change{Introduced: &directory.Introduced{Guest: lone, With: user.Set{adam}}},
			[]permission.VisibilityGroup{{user.Set{lone}, user.Set{adam}}}},
		{"a user leaves", directory.Change{Subs: &directory.Subs{Channel: 1, Remove: user.Set{alice}}}, nil},
	} {
		if got := permission.VisibilityGroups(changedBy(v, c.change)); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
