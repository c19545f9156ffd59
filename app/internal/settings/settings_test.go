package settings_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

var (
	bakers = declared.ForRealm("can_bake_group", declared.Group(group.Rule{
		Default: group.Everyone, Nobody: true, Everyone: true,
	}), "Who bakes", "Others only eat.")
	cakes  = declared.ForRealm("cakes", declared.Int(3, 1, 9), "Cakes", "Cakes a day.").ByOwners()
	icing  = declared.ForUser("icing", declared.OneOf("white", "white", "pink"), "Icing", "Color of the icing.")
	motto  = declared.ForUser("cake_motto", declared.Text("", 20), "Motto", "What is written on the cake.")
	likes  = declared.ForUser("likes_cake", declared.Text("", 20), "Likes", "The cake that the user likes.").Public()
	feast  = declared.ForChannel("feast", declared.Bool(false), "Feast", "Whether there is cake.")
	eaters = declared.ForChannel("can_eat_group", declared.Group(group.Rule{Default: group.Members, Nobody: true}),
		"Who eats", "Who may eat cake in the channel.")
)

// bakery is a module that declares settings of all kinds and answers with their values.
var bakery = kit.Define("bakery", "Bakes cakes.", kit.None{},
	func(_ kit.None, n struct {
		fx.In
		Directory ports.Directory
	}) (kit.Parts, error) {
		return kit.Parts{
			Settings: []declared.Any{bakers, cakes, icing, motto, likes, feast, eaters},
			Endpoints: []kit.Endpoint{
				kit.POST("/bake", kit.Holders("can_bake_group"), func(context.Context, kit.Actor, kit.None) (kit.None, error) {
					return kit.None{}, nil
				}, "Bakes a cake."),
				kit.GET("/cakes/:stream_id", kit.Users, func(ctx context.Context, a kit.Actor, in place) (cake, error) {
					v, err := n.Directory.View(ctx, a.Realm)
					return cake{
						cakes.In(v), icing.Of(v, a.User), motto.Of(v, a.User), feast.Of(v, in.Channel),
						permission.HoldsIn(v, a.User, eaters, in.Channel),
					}, err
				}, "Describes cakes."),
			},
		}, nil
	})

type place struct {
	Channel channel.ID `json:"stream_id"`
}

type cake struct {
	Cakes int    `json:"cakes"`
	Icing string `json:"icing"`
	Motto string `json:"motto"`
	Feast bool   `json:"feast"`
	Eats  bool   `json:"eats"`
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url}, bakery, realm.Module, accounts.Module,
		channels.Module, groups.Module, events.Module, audit.Module)
}

func to(value any) string { return kittest.JSON(map[string]any{"new": value}) }

// set returns the parameters of a request.
func set(pairs ...string) []string {
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		text += fmt.Sprintf(",%q:%s", pairs[i], pairs[i+1])
	}
	return []string{"settings", "{" + text[1:] + "}"}
}

// TestSettings changes settings of each scope, and reads them as the module, before and after restarts.
func TestSettings(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		general, olga, alice := s.ChannelID("general"), s.As("olga"), s.As("alice")
		in := fmt.Sprintf("PATCH /stoa/settings/channels/%d", general)
		describe := fmt.Sprintf("GET /cakes/%d", general)
		is := func(text string) { s.T.Helper(); alice.Do(describe).Is(200, `{"result":"success","msg":"",`+text+`}`) }

		is(`"cakes":3,"icing":"white","motto":"","feast":false,"eats":true`)
		s.Skip()
		olga.Do("PATCH /stoa/settings/realm", set("cakes", "5", "can_bake_group", to(group.Moderators))...).OK()
		alice.Do("PATCH /stoa/settings/user", set("icing", `"pink"`, "cake_motto", `"Güten <b>"`)...).OK()
		olga.Do(in, set("feast", "true", "can_eat_group", to(group.Nobody))...).OK()
		s.Events(
			`stoa_settings/update everyone {"scope":"realm","key":"cakes","value":5}`,
			`stoa_settings/update everyone {"scope":"realm","key":"can_bake_group","value":4}`,
			fmt.Sprintf(`stoa_settings/update user:alice {"scope":"user","user_id":%d,"key":"cake_motto","value":"Güten <b>"}`,
				s.UserID("alice")),
			fmt.Sprintf(`stoa_settings/update user:alice {"scope":"user","user_id":%d,"key":"icing","value":"pink"}`,
				s.UserID("alice")),
			fmt.Sprintf(`stoa_settings/update knowing:general {"scope":"channel","channel_id":%d,"key":"can_eat_group","value":1}`,
				general),
			fmt.Sprintf(`stoa_settings/update knowing:general {"scope":"channel","channel_id":%d,"key":"feast","value":true}`,
				general),
		)
		olga.Do("PATCH /stoa/settings/realm", set("cakes", "5")...).OK()
		s.NoEvents()
		for range 2 {
			is(`"cakes":5,"icing":"pink","motto":"Güten <b>","feast":true,"eats":false`)
			alice.Do("POST /bake").Error(400, "BAD_REQUEST", "Insufficient permission")
			s.As("mona").Do("POST /bake").OK()
			s.Restart()
		}
		s.RestartWithout("bakery") // its values are kept
		olga.Do("PATCH /stoa/settings/realm", set("cakes", "6")...).Error(400, "BAD_REQUEST", "Invalid setting: cakes")
		s.Restart()
		is(`"cakes":5,"icing":"pink","motto":"Güten <b>","feast":true,"eats":false`)

		log := olga.Do("GET /audit_log").OK().Body
		for _, want := range []string{
			`"before":{"cakes":3},"after":{"cakes":5}`, `"before":{"can_bake_group":7},"after":{"can_bake_group":4}`,
			`"before":{"feast":false},"after":{"feast":true}`, `"before":{"can_eat_group":6},"after":{"can_eat_group":1}`,
		} {
			contains(t, log, want)
		}
	})
}

func TestRefusals(t *testing.T) {
	s := start(t, "")
	general, secret := s.ChannelID("general"), s.ChannelID("secret")
	s.Skip()
	const ofRealm, ofUser = "PATCH /stoa/settings/realm", "PATCH /stoa/settings/user"
	in := func(c channel.ID) string { return fmt.Sprintf("PATCH /stoa/settings/channels/%d", c) }
	for _, c := range []struct{ who, call, key, value, code, msg string }{
		{"alice", ofRealm, "can_bake_group", to(4), "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"adam", ofRealm, "cakes", "4", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"olga", ofRealm, "cakes", "10", "BAD_REQUEST", "cakes must be from 1 to 9"},
		{"olga", ofRealm, "cakes", `"5"`, "BAD_REQUEST", "Invalid cakes"},
		{"olga", ofRealm, "icing", `"pink"`, "BAD_REQUEST", "Invalid setting: icing"},
		{"olga", ofRealm, "name", `"Cakes"`, "BAD_REQUEST", "Invalid setting: name"},
		{"olga", ofRealm, "can_bake_group", "4", "BAD_REQUEST", "Invalid can_bake_group"},
		{"olga", ofRealm, "can_bake_group", to(12345), "BAD_REQUEST", "Invalid user group ID: 12345"},
		{"olga", ofRealm, "can_bake_group", `{"new":4,"old":6}`, "EXPECTATION_MISMATCH", "does not match"},
		{"alice", ofUser, "icing", `"green"`, "BAD_REQUEST", "Invalid icing"},
		{"alice", ofUser, "cakes", "4", "BAD_REQUEST", "Invalid setting: cakes"},
		{"bot", ofUser, "icing", `"pink"`, "BAD_REQUEST", "does not accept bot requests"},
		{"bob", in(general), "feast", "true", "CANNOT_ADMINISTER_CHANNEL", "administer"},
		{"olga", in(general), "can_eat_group", `{"new":4,"old":7}`, "EXPECTATION_MISMATCH", "does not match"},
		{"bob", in(secret), "feast", "true", "BAD_REQUEST", "Invalid channel ID"},
		{"olga", in(general + 99), "feast", "true", "BAD_REQUEST", "Invalid channel ID"},
	} {
		t.Run(c.who+" "+c.key+" "+c.value, func(t *testing.T) {
			s := s.In(t)
			s.As(c.who).Do(c.call, set(c.key, c.value)...).Error(400, c.code, c.msg)
			s.NoEvents()
		})
	}
	s.As("olga").Do(ofRealm, set("can_bake_group", to(4), "cakes", "99")...).Error(400, "BAD_REQUEST", "cakes")
	s.NoEvents()
}

// TestClients checks that only clients that ask for the settings learn of them, of channels only those they can see.
func TestClients(t *testing.T) {
	s := start(t, "")
	secret := s.ChannelID("secret")
	all := s.As("bob").Register()
	if all.Start.Has("stoa_settings") {
		t.Error("a client that requests everything receives the settings")
	}
	bob := s.As("bob").Register("event_types", `["stoa_settings"]`)
	capable := s.As("bob").Register("fetch_event_types", `["stoa_settings"]`,
		"client_capabilities", `{"notification_settings_null":true,"stoa_settings":true}`)
	olga := s.As("olga").Register("event_types", `["stoa_settings"]`)
	s.As("olga").Do(fmt.Sprintf("PATCH /stoa/settings/channels/%d", secret), set("feast", "true")...).OK()
	s.As("olga").Do("PATCH /stoa/settings/realm", set("cakes", "4")...).OK()
	feast := fmt.Sprintf(`{"type":"stoa_settings","op":"update","scope":"channel","channel_id":%d,"key":"feast",`+
		`"value":true}`, secret)
	const four = `{"type":"stoa_settings","op":"update","scope":"realm","key":"cakes","value":4}`
	bob.Is(four)
	capable.Is(four)
	olga.Is(feast, four)
	all.Is()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`,
		"principals", kittest.JSON([]user.ID{s.UserID("bob")})).OK()
	bob.Is(feast)

	got := s.As("bob").Register("fetch_event_types", `["stoa_settings"]`).Start.Body
	for _, want := range []string{
		`{"key":"cakes","module":"bakery","label":"Cakes","doc":"Cakes a day.","kind":"int","min":1,"max":9,` +
			`"owners_only":true,"default":3,"value":4}`,
		`{"key":"icing","module":"bakery","label":"Icing","doc":"Color of the icing.","kind":"option",` +
			`"options":["white","pink"],"default":"white","value":"white"}`,
		fmt.Sprintf(`{"key":"feast","module":"bakery","label":"Feast","doc":"Whether there is cake.","kind":"bool",`+
			`"default":false,"values":{"%d":true}}`, secret),
	} {
		contains(t, got, want)
	}
}

// TestPublic checks that all who can see a user, and nobody else, learn the public settings of the user: in the
// response to /register, in events, and when they can see the user from then on.
func TestPublic(t *testing.T) {
	s := start(t, "")
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%d}`, group.Members)).OK()
	listen := func(who string) *kittest.Queue { return s.As(who).Register("event_types", `["stoa_settings"]`) }
	adam, bob, guest := listen("adam"), listen("bob"), listen("guest")
	like := func(who, cake string) string {
		s.As(who).Do("PATCH /stoa/settings/user", set("likes_cake", fmt.Sprintf("%q", cake))...).OK()
		return fmt.Sprintf(`{"type":"stoa_settings","op":"update","scope":"user","user_id":%d,"key":"likes_cake","value":%q}`,
			s.UserID(who), cake)
	}
	values := func(who, want string) {
		t.Helper()
		contains(t, s.As(who).Register("fetch_event_types", `["stoa_settings"]`).Start.Body,
			`"public":true,"default":"",`+want+`}`)
	}
	lemon := like("alice", "lemon")
	apple := like("adam", "apple")
	guest.Is(lemon)
	bob.Is(lemon, apple)
	adam.Is(lemon, apple)
	all := fmt.Sprintf(`"values":{"%d":"lemon","%d":"apple"}`, s.UserID("alice"), s.UserID("adam"))
	values("bob", `"value":"",`+all)
	values("adam", `"value":"apple",`+all)
	values("guest", fmt.Sprintf(`"value":"","values":{"%d":"lemon"}`, s.UserID("alice")))

	s.As("adam").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	guest.Is(apple)
	bob.Is()
	values("guest", `"value":"",`+all)
	plum := like("adam", "plum")
	guest.Is(plum)
	s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	like("adam", "pear")
	guest.Is()
	values("guest", fmt.Sprintf(`"value":"","values":{"%d":"lemon"}`, s.UserID("alice")))
}

// TestGroupInUse checks that a group cannot be deactivated while a setting names it.
func TestGroupInUse(t *testing.T) {
	s := start(t, "")
	olga := s.As("olga")
	for _, call := range []string{
		"PATCH /stoa/settings/realm", fmt.Sprintf("PATCH /stoa/settings/channels/%d", s.ChannelID("general")),
	} {
		key, standard, kind := "can_bake_group", group.Everyone, "realm"
		if call != "PATCH /stoa/settings/realm" {
			key, standard, kind = "can_eat_group", group.Members, "channel"
		}
		id := olga.Do("POST /user_groups/create", "name", key, "description", "", "members", "[]").Int("group_id")
		olga.Do(call, set(key, to(id))...).OK()
		res := olga.Do(fmt.Sprintf("POST /user_groups/%d/deactivate", id))
		res.Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "in use")
		contains(t, res.Body, `"type":"`+kind+`"`)
		contains(t, res.Body, `["`+key+`"]`)
		olga.Do(call, set(key, to(standard))...).OK()
		olga.Do(fmt.Sprintf("POST /user_groups/%d/deactivate", id)).OK()
		olga.Do(call, set(key, to(id))...).Error(400, "BAD_REQUEST", "deactivated")
	}
}

// TestDeleted checks that deleting a profile deletes the personal settings, in the database and in views.
func TestDeleted(t *testing.T) {
	s := start(t, "")
	s.As("bob").Do("PATCH /stoa/settings/user", set("cake_motto", `"Bob"`)...).OK()
	s.As("alice").Do("PATCH /stoa/settings/user", set("cake_motto", `"Alice"`)...).OK()
	if err := s.Run(&user.ProfileDeleted{Realm: s.Realm, User: &user.User{ID: s.UserID("bob")}}); err != nil {
		t.Fatal(err)
	}
	describe := fmt.Sprintf("GET /cakes/%d", s.ChannelID("general"))
	for range 2 {
		s.As("bob").Do(describe).Is(200, `{"result":"success","msg":"","cakes":3,"icing":"white","motto":"","feast":false,"eats":true}`)
		s.As("alice").Do(describe).Is(200, `{"result":"success","msg":"","cakes":3,"icing":"white","motto":"Alice","feast":false,"eats":true}`)
		s.Restart()
	}
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%s is not in %s", want, text)
	}
}
