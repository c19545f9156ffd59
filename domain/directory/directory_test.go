package directory_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

func dump(t *testing.T, v *directory.View) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, v.Realm())
	for u := range v.Users() {
		fmt.Fprintln(&b, u.ID, u.Role, u.Active, u.DeliveryEmail, []channel.ID(v.Subscriptions(u.ID)),
			[]user.ID(v.Muted(u.ID)), []user.ID(v.Muters(u.ID)))
		if found := v.UserByEmail(" " + strings.ToUpper(u.DeliveryEmail)); found == nil || found.ID != u.ID {
			t.Fatalf("%s finds %v", u.DeliveryEmail, found)
		}
		for c := range v.Channels() {
			if v.Subscribed(u.ID, c.ID) != v.Subscribers(c.ID).Has(u.ID) {
				t.Fatalf("user %d and channel %d disagree", u.ID, c.ID)
			}
		}
	}
	fmt.Fprintln(&b, []user.ID(v.Active()))
	for n := range 3 {
		word := fmt.Sprint("word", n)
		fmt.Fprintln(&b, word, []user.ID(alertword.Alerted(v, "some "+word+"!")))
	}
	for _, role := range roles {
		fmt.Fprintln(&b, role, []user.ID(v.WithRole(role)))
	}
	for g := range v.Groups() {
		if !g.System {
			fmt.Fprintln(&b, g.ID, g.Name, []user.ID(g.Members), []group.ID(g.Subgroups), []group.ID(v.Below(group.Set{g.ID})),
				[]user.ID(membersOf(t, v, g)))
		}
	}
	for c := range v.Channels() {
		fmt.Fprintln(&b, c.ID, c.Name, c.Private, traffic(c), slices.Clone([]user.ID(v.Subscribers(c.ID))))
		if found := v.ChannelByName(strings.ToUpper(c.Name)); found == nil || found.ID != c.ID {
			t.Fatalf("%s finds %v", c.Name, found)
		}
	}
	for _, l := range linkifier.In(v).All() {
		const all = "x0 x1 x2"
		work := linkifier.Work(len(all))
		for _, m := range l.Find(all, true, &work) {
			fmt.Fprintln(&b, l.ID, l.Order, all[m.Start:m.End])
		}
	}
	for _, x := range bot.All(v) {
		if bot.In(v, x.ID) != *x {
			t.Fatalf("bot %d is %v", x.ID, bot.In(v, x.ID))
		}
		fmt.Fprintln(&b, *x)
	}
	for id := range session.ID(1000) {
		if x := v.Session(id); x != nil {
			fmt.Fprintln(&b, *x)
		}
	}
	return b.String()
}

// membersOf returns the users who belong to a group, and checks that all related methods agree.
func membersOf(t *testing.T, v *directory.View, g *group.Group) user.Set {
	t.Helper()
	var all user.Set
	for id := range user.ID(people + 1) {
		if v.Belongs(id, g.ID) {
			all = append(all, id)
		}
		if v.MemberOf(id).Has(g.ID) != g.Members.Has(id) {
			t.Fatalf("user %d and group %d disagree", id, g.ID)
		}
	}
	below := v.Below(group.Set{g.ID})
	for o := range v.Groups() {
		if in := below.Has(o.ID); v.Within(o.ID, g.ID) != in || v.Above(group.Set{o.ID}).Has(g.ID) != in {
			t.Fatalf("groups %d and %d disagree", o.ID, g.ID)
		}
	}
	return all
}

// Random histories: after each entry the view matches a model of plain maps and a freshly loaded view, undoing from the
// end restores each earlier state, and versions never change.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		p, v := newPlain(), directory.Empty()
		type point struct {
			view    *directory.View
			words   string
			changes []directory.Change
		}
		var history []point
		for i := range 150 {
			changes := p.step(r)
			changes = roundTrip(t, changes)
			v = v.Apply(int64(i+1), changes...)
			want := p.dump()
			if got := dump(t, v); got != want {
				t.Fatalf("seed %d, entry %d: %v\ngot\n%swant\n%s", seed, i+1, changes, got, want)
			}
			history = append(history, point{v, want, changes})
			if i%50 == 0 {
				if got := dump(t, p.builder().View(int64(i+1))); got != want {
					t.Fatalf("seed %d: freshly loaded\ngot\n%swant\n%s", seed, got, want)
				}
			}
		}
		back := p.builder().View(v.Seq()) // as a node that started later loads it
		for i := len(history) - 1; i > 0; i-- {
			back = back.Undo(int64(i+1), history[i].changes...)
			if got := dump(t, back); got != history[i-1].words || back.Seq() != int64(i) {
				t.Fatalf("seed %d, undone to %d (%d):\ngot\n%swant\n%s", seed, i, back.Seq(), got, history[i-1].words)
			}
		}
		for i, h := range history {
			if dump(t, h.view) != h.words {
				t.Fatalf("seed %d: version %d has changed", seed, i+1)
			}
		}
	}
}

// roundTrip encodes and decodes changes as the log does.
func roundTrip(t *testing.T, in []directory.Change) []directory.Change {
	t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out []directory.Change
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	slots := directory.Slots{}
	for _, s := range []directory.AnySlot{alertword.Shared, bot.Shared, linkifier.Shared} {
		slots[s.Key()] = s
	}
	if err := slots.Resolve(out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEmptyHasTheSystemGroups(t *testing.T) {
	v := directory.Empty()
	if v.Realm() != nil || v.User(1) != nil || v.Channel(1) != nil || v.UserByEmail("a@example.com") != nil ||
		v.ChannelByName("a") != nil {
		t.Error("the empty view has objects")
	}
	for _, id := range []group.ID{group.Nobody, group.Owners, group.Administrators, group.Moderators, group.FullMembers,
		group.Members, group.Everyone, group.Internet} {
		if g := v.Group(id); g == nil || !g.System {
			t.Errorf("group %d: %v", id, g)
		}
	}
}

func TestUnknownAndNegativeIDs(t *testing.T) {
	v := directory.Empty().Apply(1, directory.OfUser(nil,
		&user.User{ID: 7, Active: true, Role: user.Member, DeliveryEmail: "a@example.com"}))
	for _, id := range []user.ID{-1, 0, 6, 8, 39, 1 << 40, -1 << 62} {
		if v.User(id) != nil || len(v.Subscriptions(id)) != 0 {
			t.Errorf("user %d", id)
		}
	}
}

// Among this many names, some have equal hashes and share a list.
func TestManyNames(t *testing.T) {
	v := directory.Empty()
	const n = 8_000
	for i := range n {
		c := channel.Channel{ID: channel.ID(i + 1), Name: fmt.Sprintf("channel number %d", i)}
		v = v.Apply(int64(i+1), directory.OfChannel(nil, &c))
	}
	for i := range n {
		if c := v.ChannelByName(fmt.Sprintf("Channel number %d ", i)); c == nil || c.ID != channel.ID(i+1) {
			t.Fatalf("%d: %v", i, c)
		}
	}
}

// One entry renames a channel and gives its old name to another: both are found.
func TestReusedName(t *testing.T) {
	a, b := channel.Channel{ID: 1, Name: "x"}, channel.Channel{ID: 2, Name: "y"}
	v := directory.Empty().Apply(1, directory.OfChannel(nil, &a), directory.OfChannel(nil, &b))
	a2, b2 := channel.Channel{ID: 1, Name: "z"}, channel.Channel{ID: 2, Name: "X"}
	changes := []directory.Change{directory.OfChannel(&a, &a2), directory.OfChannel(&b, &b2)}
	w := v.Apply(2, changes...)
	if w.ChannelByName("x").ID != 2 || w.ChannelByName("z").ID != 1 || w.ChannelByName("y") != nil {
		t.Error("after")
	}
	u := w.Undo(2, changes...)
	if u.ChannelByName("x").ID != 1 || u.ChannelByName("y").ID != 2 || u.ChannelByName("z") != nil {
		t.Error("undone")
	}
	swap := []directory.Change{directory.OfChannel(&a, &channel.Channel{ID: 1, Name: "y"}),
		directory.OfChannel(&b, &channel.Channel{ID: 2, Name: "x"})}
	if s := v.Apply(2, swap...); s.ChannelByName("x").ID != 2 || s.ChannelByName("y").ID != 1 {
		t.Error("swapped")
	}
}

func seesAll(user.ID) bool { return true }

// Of users with the same name, the one with the lowest ID is found, regardless of former names of the others.
func TestUsersWithSameName(t *testing.T) {
	ann, ben := &user.User{ID: 1, FullName: "Ann", Active: true}, &user.User{ID: 2, FullName: "Ben", Active: true}
	also := &user.User{ID: 2, FullName: "ann", Active: true}
	v := directory.Empty().Apply(1, directory.OfUser(nil, ann)).Apply(2, directory.OfUser(nil, ben))
	w := v.Apply(3, directory.OfUser(ben, also))
	if u := w.UserByName("ANN", seesAll); u == nil || u.ID != 1 {
		t.Errorf("found %+v", u)
	}
	if back := w.Undo(3, directory.OfUser(ben, also)); back.UserByName("ann", seesAll) == nil ||
		back.UserByName("ann", seesAll).ID != 1 || back.UserByName("ben", seesAll) == nil {
		t.Error("after undoing, a user is not found")
	}
}

// Of users with the same name, an active one whom the caller can see is found.
func TestUserByNamePrecedence(t *testing.T) {
	var b directory.Builder
	b.Names(folded)
	for id, u := range []user.User{{FullName: "Bob"}, {FullName: "BOB", Active: true}, {FullName: "bob", Active: true},
		{FullName: "Zoé"}, {FullName: "Zoe", Active: true}} {
		u.ID = user.ID(id + 1)
		b.User(&u)
	}
	v := b.View(1)
	for _, c := range []struct {
		name   string
		hidden user.ID
		want   user.ID
	}{{"Bob", 0, 2}, {"bob", 0, 3}, {"BOB", 2, 3}, {"bob", 3, 2}, {"Zoé", 0, 4}, {"zoe", 0, 5}, {"zoe", 5, 4}} {
		u := v.UserByName(c.name, func(id user.ID) bool { return id != c.hidden })
		if u == nil || u.ID != c.want {
			t.Errorf("%s, %d being hidden, is %+v, want %d", c.name, c.hidden, u, c.want)
		}
	}
	if u := v.UserByName("bob", func(user.ID) bool { return false }); u != nil {
		t.Errorf("all users are hidden, but %+v was found", u)
	}
}

// folded is a key function that equates more names than lower case does.
func folded(name string) string { return strings.ReplaceAll(user.NameKey(name), "é", "e") }

// Names are looked up by key. Channels that predate the rule that keys are unique are found by their exact names,
// whether they were loaded or changed.
func TestNameKeys(t *testing.T) {
	built := func(cs ...*channel.Channel) *directory.View {
		var b directory.Builder
		b.Names(folded)
		for _, c := range cs {
			b.Channel(c)
		}
		b.User(&user.User{ID: 1, FullName: "Zoe", Active: true})
		b.User(&user.User{ID: 2, FullName: "Zoé", Active: true})
		return b.View(1)
	}
	cafe, other := &channel.Channel{ID: 1, Name: "Cafe"}, &channel.Channel{ID: 2, Name: "Café"}
	tea := &channel.Channel{ID: 2, Name: "Tea"}
	finds := func(what string, v *directory.View, want map[string]channel.ID) {
		t.Helper()
		for name, id := range want {
			if c := v.ChannelByName(name); c == nil && id != 0 || c != nil && c.ID != id {
				t.Errorf("%s: %s finds %+v, want %d", what, name, c, id)
			}
		}
	}
	one := built(cafe)
	finds("one", one, map[string]channel.ID{"cafe": 1, "CAFÉ": 1, "tea": 0})
	both := map[string]channel.ID{"Cafe": 1, "cafe": 1, "Café": 2, "CAFÉ": 2}
	finds("two", built(other, cafe), both)
	two := one.Apply(2, directory.OfChannel(nil, other))
	finds("a second", two, both)
	renamed := directory.OfChannel(other, tea)
	finds("another name", two.Apply(3, renamed), map[string]channel.ID{"cafe": 1, "Café": 1, "tea": 2})
	finds("undone", two.Apply(3, renamed).Undo(3, renamed), both)
	finds("the first one deleted", two.Apply(3, directory.OfChannel(cafe, nil)),
		map[string]channel.ID{"cafe": 2, "Café": 2})
	own := &channel.Channel{ID: 1, Name: "CAFÉ"}
	finds("its own name in another form", one.Apply(2, directory.OfChannel(cafe, own)),
		map[string]channel.ID{"cafe": 1, "Café": 1})
	for name, want := range map[string]user.ID{"ZOE": 1, "zoé": 2, "ZOÉ": 2} {
		if u := one.UserByName(name, seesAll); u == nil || u.ID != want {
			t.Errorf("%s finds %+v, want %d", name, u, want)
		}
	}
	if one.NameKey(" CAFÉ ") != "cafe" || directory.Empty().NameKey(" CAFÉ ") != "café" {
		t.Error("the key differs")
	}
}
