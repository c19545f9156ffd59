package bots_test

import (
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

func TestCreate(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		fs := follow(s)
		q := s.As("guest").Register("event_types", `["realm_user","realm_bot"]`)
		s.Skip()
		a := s.As("bob").Do("POST /bots", "full_name", " Bob's Helper ", "short_name", "helper", "default_sending_stream",
			"General",
			"default_all_public_streams", "true")
		a.Is(200, `{"result":"success","msg":"","user_id":"*","api_key":"*","avatar_url":"*",
		"default_sending_stream":"general",
			"default_events_register_stream":null,"default_all_public_streams":true}`)
		m := testBot{s, a.Int("user_id"), "helper-bot@stoa.invalid", a.String("api_key")}
		s.Events(fmt.Sprintf(`realm_user/add seeing:%[1]d {"user_id":%[1]d}`, m.id),
			fmt.Sprintf(`realm_bot/add admins+bob {"bot":%d}`, m.id), "user_group/add_members everyone",
			"user_group/add_members everyone", "user/keys nobody {}")
		fs.expect("bob: add", "olga: add", "adam: add")
		received := q.Take()
		if received.Has("events.1") || received.String("events.0.person.full_name") != "Bob's Helper" ||
			received.Int("events.0.person.bot_owner_id") != int64(s.UserID("bob")) ||
			received.Int("events.0.person.bot_type") != 1 || received.String("events.0.person.email") != m.email {
			t.Errorf("guest received %s", received.Body)
		}
		me := m.client().Do("GET /users/me").OK()
		if me.Int("role") != 400 || me.Get("is_bot") != true || me.String("email") != m.email || me.Has("profile_data") {
			t.Errorf("the bot is %s", me.Body)
		}
		list := s.As("bob").Do("GET /bots")
		list.Is(200, fmt.Sprintf(`{"result":"success","msg":"","bots":[{"username":"helper-bot@stoa.invalid",
		"full_name":"Bob's Helper","api_key":"%s",
			"avatar_url":"*","default_sending_stream":"general","default_events_register_stream":null,
			"default_all_public_streams":true}]}`, m.key))
		s.As("olga").Do("GET /bots").Is(200, `{"result":"success","msg":"","bots":[]}`)
		if got := kittest.JSON(s.As("olga").Do("POST /register", "fetch_event_types", `["realm_bot"]`, "event_types",
			"[]").OK().Get("realm_bots.1")); got !=
			fmt.Sprintf(`{"default_all_public_streams":true,"default_events_register_stream":null,`+
				`"default_sending_stream":"general","services":[],"user_id":%d}`, m.id) {
			t.Errorf("the record is %s", got)
		}
		for who, want := range map[string]int{"alice": 1, "bob": 1, "olga": 2, "adam": 2, "mona": 0, "guest": 0, "bot": 0} {
			a := s.As(who).Do("POST /register", "fetch_event_types", `["realm_bot"]`, "event_types", "[]").OK()
			if n := len(a.Get("realm_bots").([]any)); n != want {
				t.Errorf("%s sees %d bots, want %d", who, n, want)
			}
		}
		s.Restart() // read back from the database
		if got := s.As("bob").Do("GET /bots").OK().Body; got != list.Body {
			t.Errorf("after a restart: %s", got)
		}
		m.client().Do("GET /users/me").OK()
		system := s.As("guest").Do("POST /register", "fetch_event_types", `["realm_user"]`, "event_types", "[]").OK()
		for i, email := range []string{"notification-bot@stoa.invalid", "welcome-bot@stoa.invalid",
			"emailgateway@stoa.invalid"} {
			at := fmt.Sprintf("cross_realm_bots.%d.", i)
			if system.String(at+"email") != email || system.Get(at+"is_system_bot") != true ||
				system.Get(at+"bot_owner_id") != nil || system.Get(at+"is_active") != true {
				t.Errorf("system bot %d: %v", i, system.Get("cross_realm_bots"))
			}
		}
	})
}

// Clients send forms, with an avatar (TestPictures) or without.
func TestCreateByForm(t *testing.T) {
	s := start(t, kittest.Memory)
	var body strings.Builder
	form := multipart.NewWriter(&body)
	for _, p := range [][2]string{{"bot_type", "3"}, {"full_name", "Former"}, {"short_name", "former"},
		{"payload_url", `"http://x.org"`}, {"service_name", "X"},
		{"interface_type", "1"}, {"config_data", `{"a":"1"}`}} {
		if err := form.WriteField(p[0], p[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	id := s.As("bob").Send("POST /bots", form.FormDataContentType(), strings.NewReader(body.String())).OK().Int("user_id")
	a := s.As("bob").Do(fmt.Sprintf("PATCH /bots/%d", id)).OK()
	if a.String("full_name") != "Former" || a.String("service_payload_url") != "http://x.org" ||
		a.String("config_data.a") != "1" {
		t.Errorf("created %s", a.Body)
	}
}

func TestCreateRefusals(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "max_per_owner: 4")
		hook := makeBot(s, "bob", "hook")
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"attic"}]`).OK()
		s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d",
			s.As("olga").Do("GET /get_stream_id", "stream", "attic").OK().Int("stream_id"))).OK()
		s.Skip()
		for _, c := range []struct {
			as, params, code, msg string
		}{
			{"guest", "full_name=G&short_name=g", "BAD_REQUEST", "Not allowed for guest users"},
			{"bot", "full_name=G&short_name=g", "BAD_REQUEST", "This endpoint does not accept bot requests."},
			{"bob", "full_name=G", "REQUEST_VARIABLE_MISSING", "short_name"},
			{"bob", "short_name=g", "REQUEST_VARIABLE_MISSING", "full_name"},
			{"bob", "full_name= &short_name=g", "BAD_REQUEST", "Name must not be empty!"},
			{"bob", "full_name=a*b&short_name=g", "BAD_REQUEST", "Invalid characters in name!"},
			{"bob", "full_name=HOOK&short_name=g", "BAD_REQUEST", "Name is already in use."},
			{"bob", "full_name=G&short_name=Hook", "BAD_REQUEST", "Email 'Hook-bot@stoa.invalid' already in use"},
			{"bob", "full_name=G&short_name=notification", "BAD_REQUEST", "already in use"},
			{"bob", "full_name=G&short_name= ", "BAD_REQUEST", "Bad name or username"},
			{"bob", "full_name=G&short_name=a@b.c", "BAD_REQUEST", "Bad name or username"},
			{"bob", "full_name=G&short_name=" + strings.Repeat("a", 61), "BAD_REQUEST", "Bad name or username"},
			{"bob", "full_name=G&short_name=g&bot_type=0", "BAD_REQUEST", "Invalid bot type"},
			{"bob", "full_name=G&short_name=g&bot_type=5", "BAD_REQUEST", "Invalid bot type"},
			{"bob", "full_name=G&short_name=g&bot_type=x", "BAD_REQUEST", "bot_type"},
			{"bob", "full_name=G&short_name=g&bot_type=4", "BAD_REQUEST", "This server has no embedded bots."},
			{"bob", "full_name=G&short_name=g&bot_type=3", "BAD_REQUEST", "payload_url is not a URL"},
			{"bob", `full_name=G&short_name=g&bot_type=3&payload_url="x"`, "BAD_REQUEST", "payload_url is not a URL"},
			{"bob", `full_name=G&short_name=g&bot_type=3&payload_url="http://x.org"&interface_type=3`, "BAD_REQUEST",
				"Invalid interface type"},
			{"bob", `full_name=G&short_name=g&payload_url="http://x.org"`, "BAD_REQUEST",
				"Only outgoing webhook bots have a payload_url."},
			{"bob", "full_name=G&short_name=g&config_data=[]", "BAD_REQUEST", "config_data is not a dict"},
			{"bob", `full_name=G&short_name=g&config_data={"a":1}`, "BAD_REQUEST", "not a string"},
			{"bob", `full_name=G&short_name=g&config_data={"a":"` + strings.Repeat("x", 10_000) + `"}`, "BAD_REQUEST",
				"at most 10000 characters"},
			{"bob", "full_name=G&short_name=g&default_sending_stream=nowhere", "BAD_REQUEST", "Invalid channel name 'nowhere'"},
			{"bob", "full_name=G&short_name=g&default_sending_stream=secret", "BAD_REQUEST", "Invalid channel name 'secret'"},
			{"bob", "full_name=G&short_name=g&default_events_register_stream=secret", "BAD_REQUEST",
				"Invalid channel name 'secret'"},
			{"olga", "full_name=G&short_name=g&default_sending_stream=attic", "BAD_REQUEST", "Invalid channel name 'attic'"},
			{"bob", "full_name=G&short_name=g&default_all_public_streams=maybe", "BAD_REQUEST", "default_all_public_streams"},
		} {
			var params []string
			for pair := range strings.SplitSeq(c.params, "&") {
				k, v, _ := strings.Cut(pair, "=")
				params = append(params, k, v)
			}
			s.As(c.as).Do("POST /bots", params...).Error(400, c.code, c.msg)
		}
		s.NoEvents()
		for _, short := range []string{"a", "b", "c"} {
			makeBot(s, "bob", short)
		}
		s.As("bob").Do(hook.path("DELETE /bots/%d")).OK()
		s.As("bob").Do("POST /bots", "full_name", "G", "short_name", "g").Error(400, "BAD_REQUEST",
			"A user can own at most 4 bots.")
		mine := makeBot(s, "alice", "mine")
		s.As("alice").Do(mine.path("PATCH /bots/%d"), "bot_owner_id", fmt.Sprint(s.UserID("bob"))).Error(400, "BAD_REQUEST",
			"at most 4 bots")
	})
}

// TestCreatePermissions checks who can create bots of any type and who can create only incoming webhook bots. Names
// must differ from those of active bots.
func TestCreatePermissions(t *testing.T) {
	s := start(t, kittest.Memory)
	try := func(who, short, typ string) *kittest.Response {
		return s.As(who).Do("POST /bots", "full_name", short, "short_name", short, "bot_type", typ)
	}
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Moderators), "can_create_write_only_bots_group",
		named(group.Members)).OK()
	try("bob", "one", "1").Error(400, "BAD_REQUEST", "Insufficient permission")
	try("bob", "one", "2").OK()
	try("mona", "two", "1").OK()
	try("guest", "three", "2").Error(400, "BAD_REQUEST", "Not allowed for guest users")
	s.As("olga").Do("PATCH /realm", "can_create_write_only_bots_group", named(group.Administrators)).OK()
	try("bob", "three", "2").Error(400, "BAD_REQUEST", "Insufficient permission")
	try("mona", "three", "2").OK() // the permission to create any bot includes these
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Nobody), "can_create_write_only_bots_group",
		named(group.Nobody)).OK()
	try("olga", "four", "1").Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Members)).OK()
	first := makeBot(s, "bob", "four")
	s.As("bob").Do(first.path("DELETE /bots/%d")).OK()
	s.As("bob").Do("POST /bots", "full_name", "four", "short_name", "other").OK()
	s.As("olga").Do(first.path("POST /users/%d/reactivate")).Error(400, "BAD_REQUEST", "Name is already in use.")
	s.As("bob").Do("POST /bots", "full_name", "Bob", "short_name", "bob").OK() // bots and users may have the same name
}
