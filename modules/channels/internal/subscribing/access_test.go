package subscribing

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
)

// The users of these tests, by ID.
const (
	owner1 user.ID = iota + 1
	admin2
	member3
	member4
	guest5
	bot6 // owned by member3
	guest7
)

var everybody = []struct {
	name string
	id   user.ID
}{{"owner", owner1}, {"admin", admin2}, {"member3", member3}, {"member4", member4}, {"guest5", guest5}, {"bot", bot6},
	{"guest7", guest7}}

// The channels. member3 and guest5 are subscribed to all but the last.
const (
	public channel.ID = iota + 1
	private
	web
	empty // private, without subscribers
)

func viewOf(change func(*realm.Settings, map[channel.ID]*channel.Channel)) *directory.View {
	settings := realm.Settings{EnableSpectatorAccess: true, Groups: map[string]group.Setting{
		"can_add_subscribers_group":           group.Named(group.Nobody),
		"can_create_public_channel_group":     group.Named(group.Members),
		"can_create_private_channel_group":    group.Named(group.Members),
		"can_create_web_public_channel_group": group.Named(group.Owners),
		"can_set_topics_policy_group":         group.Named(group.Nobody),
		"can_set_delete_message_policy_group": group.Named(group.Nobody),
	}}
	cs := map[channel.ID]*channel.Channel{
		public:  {ID: public, Name: "public", HistoryPublic: true},
		private: {ID: private, Name: "private", Private: true},
		web:     {ID: web, Name: "web", WebPublic: true, HistoryPublic: true},
		empty:   {ID: empty, Name: "empty", Private: true},
	}
	for _, c := range cs {
		c.Permissions = spec{}.all(0)
	}
	if change != nil {
		change(&settings, cs)
	}
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, Settings: settings})
	for _, u := range []user.User{
		{ID: owner1, Role: user.Owner}, {ID: admin2, Role: user.Admin}, {ID: member3, Role: user.Member},
		{ID: member4, Role: user.Member},
		{ID: guest5, Role: user.Guest}, {ID: bot6, Role: user.Member, BotType: user.GenericBot, BotOwner: member3},
		{ID: guest7, Role: user.Guest},
	} {
		u.Active, u.DeliveryEmail = true, fmt.Sprintf("u%d@example.com", u.ID)
		b.User(&u)
	}
	for id, c := range cs {
		b.Channel(c)
		if id != empty {
			b.Subscriptions(member3, id)
			b.Subscriptions(guest5, id)
		}
	}
	return b.View(1)
}

func as(id user.ID) user.Actor { return user.Actor{Realm: 1, User: id} }

func check(t *testing.T, what string, rule func(user.Actor) bool, allowed ...user.ID) {
	t.Helper()
	may := map[user.ID]bool{}
	for _, id := range allowed {
		may[id] = true
	}
	for _, p := range everybody {
		if got := rule(as(p.id)); got != may[p.id] {
			t.Errorf("%s: %s: %v, want %v", what, p.name, got, may[p.id])
		}
	}
	if !rule(user.Actor{Realm: 1, System: true}) {
		t.Errorf("%s: the server itself has no access", what)
	}
}

func named1(id user.ID) group.Setting { return group.Setting{Members: user.Set{id}} }

func TestKnowsAndReads(t *testing.T) {
	type rule func(*directory.View, *channel.Channel, user.Actor) bool
	with := func(setting string, who group.Setting) *directory.View {
		return viewOf(func(_ *realm.Settings, cs map[channel.ID]*channel.Channel) { cs[empty].Permissions[setting] = who })
	}
	for _, c := range []struct {
		what    string
		view    *directory.View
		channel channel.ID
		rule    rule
		allowed []user.ID
	}{
		{"see public", viewOf(nil), public, access.Sees, []user.ID{owner1, admin2, member3, member4, guest5, bot6}},
		{"read public", viewOf(nil), public, access.Reads, []user.ID{owner1, admin2, member3, member4, guest5, bot6}},
		{"see private", viewOf(nil), private, access.Sees, []user.ID{owner1, admin2, member3, guest5}},
		{"read private", viewOf(nil), private, access.Reads, []user.ID{member3, guest5}},
		{"read web", viewOf(nil), web, access.Reads, []user.ID{owner1, admin2, member3, member4, guest5, bot6, guest7}},
		{"see empty", viewOf(nil), empty, access.Sees, []user.ID{owner1, admin2}},
		{"read empty", viewOf(nil), empty, access.Reads, nil},
		{"administering grants metadata access", with("can_administer_channel_group", named1(member4)), empty, access.Sees,
			[]user.ID{owner1, admin2, member4}},
		{"administering grants no content access", with("can_administer_channel_group", named1(member4)), empty,
			access.Reads, nil},
		{"adding grants content access", with("can_add_subscribers_group", named1(member4)), empty, access.Reads,
			[]user.ID{member4}},
		{"subscribing grants content access", with("can_subscribe_group", named1(member4)), empty, access.Reads,
			[]user.ID{member4}},
		{"never to guests", with("can_subscribe_group", named1(guest7)), empty, access.Sees, []user.ID{owner1, admin2}},
	} {
		check(t, c.what, func(a user.Actor) bool { return c.rule(c.view, c.view.Channel(c.channel), a) }, c.allowed...)
	}
	v := viewOf(nil)
	for id, want := range map[channel.ID]bool{public: false, private: false, web: true} {
		if got := access.Sees(v, v.Channel(id), user.Actor{Realm: 1}); got != want {
			t.Errorf("not logged in, channel %s: %v, want %v", v.Channel(id).Name, got, want)
		}
	}
	closed := viewOf(func(s *realm.Settings, _ map[channel.ID]*channel.Channel) { s.EnableSpectatorAccess = false })
	if access.Reads(closed, closed.Channel(web), user.Actor{Realm: 1}) {
		t.Error("the realm has no spectators, but one has access")
	}
	if access.Sees(v, nil, user.Actor{System: true}) {
		t.Error("a missing channel is visible")
	}
}

func TestAdministersAndAdds(t *testing.T) {
	base := []user.ID{owner1, admin2}
	with := func(setting string, who group.Setting) *directory.View {
		return viewOf(func(_ *realm.Settings, cs map[channel.ID]*channel.Channel) { cs[public].Permissions[setting] = who })
	}
	for _, c := range []struct {
		what       string
		view       *directory.View
		administer []user.ID
		add        []user.ID
	}{
		{"no users named", viewOf(nil), base, base},
		{"channel administrator", with("can_administer_channel_group", named1(member4)), append(base, member4),
			append(base, member4)},
		{"channel adder", with("can_add_subscribers_group", named1(member4)), base, append(base, member4)},
		{"guests never", with("can_administer_channel_group", named1(guest5)), base, base},
		{"realm setting", viewOf(func(s *realm.Settings, _ map[channel.ID]*channel.Channel) {
			s.Groups["can_add_subscribers_group"] = group.Named(group.Members)
		}), base, append(base, member3, member4, bot6)},
	} {
		check(t, c.what+": administer",
			func(a user.Actor) bool { return access.Administers(c.view, c.view.Channel(public), a) }, c.administer...)
		check(t, c.what+": add", func(a user.Actor) bool { return access.MayAdd(c.view, c.view.Channel(public), a) },
			c.add...)
	}
}

func TestMayRemove(t *testing.T) {
	v := viewOf(nil)
	remove := func(v *directory.View, target user.ID) func(user.Actor) bool {
		return func(a user.Actor) bool { return access.MayRemove(v, v.Channel(public), a, user.Set{target}) }
	}
	check(t, "remove a user", remove(v, guest5), owner1, admin2, guest5)
	check(t, "remove a bot", remove(v, bot6), owner1, admin2, member3, bot6)
	check(t, "remove several", func(a user.Actor) bool {
		return access.MayRemove(v, v.Channel(public), a, user.Set{member3, bot6})
	}, owner1, admin2, member3)
	named := viewOf(func(_ *realm.Settings, cs map[channel.ID]*channel.Channel) {
		cs[public].Permissions["can_remove_subscribers_group"] = named1(member4)
	})
	check(t, "the setting names a user", remove(named, guest5), owner1, admin2, member4, guest5)
	administrator := viewOf(func(_ *realm.Settings, cs map[channel.ID]*channel.Channel) {
		cs[public].Permissions["can_remove_subscribers_group"] = group.Named(group.Nobody)
		cs[public].Permissions["can_administer_channel_group"] = named1(member4)
	})
	check(t, "channel administrators", remove(administrator, guest5), owner1, admin2, member4, guest5)
}

func TestSpecCheck(t *testing.T) {
	month := 30
	ok := func(v *directory.View, s spec, webPublic bool) func(user.Actor) bool {
		return func(a user.Actor) bool { return s.check(v, a, webPublic) == nil }
	}
	plain := channel.Privacy{HistoryPublic: true}
	noSpectators := viewOf(func(s *realm.Settings, _ map[channel.ID]*channel.Channel) { s.EnableSpectatorAccess = false })
	inherit := spec{privacy: plain, topicsPolicy: channel.TopicsInherit}
	with := func(change func(*spec)) spec { s := inherit; change(&s); return s }
	all := []user.ID{owner1, admin2, member3, member4, bot6}
	check(t, "public", ok(viewOf(nil), inherit, false), all...)
	check(t, "private", ok(viewOf(nil), with(func(s *spec) { s.privacy = channel.Privacy{Private: true} }), false), all...)
	webSpec := with(func(s *spec) { s.privacy.WebPublic = true })
	check(t, "web-public", ok(viewOf(nil), webSpec, true), owner1)
	for what, v := range map[string]*directory.View{"switched off": viewOf(nil), "no spectators": noSpectators} {
		err := webSpec.check(v, as(owner1), what == "no spectators")
		if err == nil || err.Error() != "Web-public channels are not enabled." {
			t.Errorf("web-public, %s: %v", what, err)
		}
	}
	check(t, "default", ok(viewOf(nil), with(func(s *spec) { s.isDefault = true }), false), owner1, admin2)
	check(t, "retention", ok(viewOf(nil), with(func(s *spec) { s.retention = &month }), false), owner1)
	check(t, "topics policy", ok(viewOf(nil), with(func(s *spec) { s.topicsPolicy = channel.TopicsDisable }), false),
		owner1, admin2)
	for _, name := range []string{"can_delete_any_message_group", "can_delete_own_message_group"} {
		set := func(who group.ID) spec {
			return with(func(s *spec) { s.permissions = map[string]group.Setting{name: group.Named(who)} })
		}
		check(t, name, ok(viewOf(nil), set(group.Members), false), owner1, admin2)
		check(t, name+" nobody", ok(viewOf(nil), set(group.Nobody), false), all...)
	}
}

func TestSpecCheckSettings(t *testing.T) {
	v := viewOf(nil)
	for _, r := range permission.Settings(group.OfStream) {
		for _, c := range []struct {
			value group.Setting
			ok    bool
		}{
			{group.Named(group.Nobody), r.Nobody}, {group.Named(group.Everyone), r.Everyone},
			{group.Named(group.Internet), false},
			{group.Named(group.Owners), true}, {group.Named(999), false}, {group.Setting{Members: user.Set{member3}}, true},
			{group.Setting{Members: user.Set{999}}, false},
		} {
			s := spec{privacy: channel.Privacy{HistoryPublic: true}, topicsPolicy: channel.TopicsInherit,
				permissions: map[string]group.Setting{r.Name: c.value}}
			if err := s.check(v, as(owner1), false); (err == nil) != c.ok {
				t.Errorf("%s = %v: %v, want accepted: %v", r.Name, c.value, err, c.ok)
			}
		}
	}
	protected := spec{privacy: channel.Privacy{Private: true}, topicsPolicy: channel.TopicsInherit,
		permissions: map[string]group.Setting{"can_create_topic_group": group.Named(group.Members)}}
	if err := protected.check(v, as(owner1), false); err == nil {
		t.Error("protected history with limited topic creation was accepted")
	}
}
