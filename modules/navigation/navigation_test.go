package navigation_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/navigation"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, navigation.Module, realm.Module, accounts.Module)
}

const (
	path     = "/navigation_views"
	followed = "narrow/is/followed"
)

func TestViews(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, messages.Module, events.Module, navigation.Module)
		bob := s.As("bob")
		has := func(who, want string) {
			t.Helper()
			s.As(who).Do("GET "+path).Is(200, `{"result":"success","msg":"","navigation_views":[`+want+`]}`)
			a := s.As(who).Do("POST /register", "event_types", `["navigation_view"]`, "fetch_event_types",
				`["navigation_views"]`).OK()
			if got := kittest.JSON(a.Get("navigation_views")); got != "["+want+"]" {
				t.Errorf("%s has %s in register, want [%s]", who, got, want)
			}
		}
		has("bob", "")
		s.Skip()
		nothing := `{"result":"success","msg":""}`
		bob.Do("POST "+path, "fragment", followed, "is_pinned", "true", "name", " Followed ").Is(200, nothing)
		s.Events(`navigation_view/add user:bob {"navigation_view":{"fragment":"narrow/is/followed","is_pinned":true,` +
			`"name":"Followed"}}`)
		bob.Do("POST "+path, "fragment", "inbox", "is_pinned", "false").OK()
		s.Events(`navigation_view/add user:bob {"navigation_view":{"fragment":"inbox","is_pinned":false,"name":null}}`)
		bob.Do("POST "+path, "fragment", "recent", "is_pinned", "true", "name", "null").OK()
		bob.Do("POST "+path, "fragment", "narrow/channel/7-a/topic/50%25 off?", "is_pinned", "false", "name", "Off").OK()
		s.Skip()

		bob.Do("PATCH "+path+"/"+followed, "is_pinned", "false", "name", "Followed").Is(200, nothing)
		s.Events(`navigation_view/update user:bob {"fragment":"narrow/is/followed","data":{"is_pinned":false}}`)
		bob.Do("PATCH "+path+"/"+strings.ReplaceAll(followed, "/", "%2F"), "name", "Mine").OK()
		s.Events(`navigation_view/update user:bob {"fragment":"narrow/is/followed","data":{"name":"Mine"}}`)
		bob.Do("PATCH "+path+"/narrow/channel/7-a/topic/50%2525%20off%3F", "is_pinned", "true").OK()
		s.Events(`navigation_view/update user:bob {"fragment":"narrow/channel/7-a/topic/50%25 off?",` +
			`"data":{"is_pinned":true}}`)
		bob.Do("PATCH "+path+"/inbox", "is_pinned", "false").OK()
		bob.Do("PATCH " + path + "/inbox").OK() // no change is not an error
		s.NoEvents()
		bob.Do("DELETE "+path+"/recent").Is(200, nothing)
		s.Events(`navigation_view/remove user:bob {"fragment":"recent"}`)

		want := `{"fragment":"inbox","is_pinned":false,"name":null},{"fragment":"narrow/channel/7-a/topic/50%25 off?",` +
			`"is_pinned":true,"name":"Off"},` +
			`{"fragment":"narrow/is/followed","is_pinned":false,"name":"Mine"}`
		has("bob", want)
		has("alice", "")

		// The name may be empty, and trailing slashes are part of the fragment.
		const slashed = "narrow/is/alerted//"
		mona := s.As("mona")
		mona.Do("POST "+path, "fragment", slashed, "is_pinned", "true").OK()
		mona.Do("POST "+path, "fragment", "narrow/is/alerted", "is_pinned", "false").OK()
		mona.Do("PATCH "+path+"/"+slashed, "is_pinned", "false").OK()
		mona.Do("PATCH "+path+"/narrow/is/alerted", "name", "Alerts").OK()
		mona.Do("POST "+path+"/"+slashed, "method", "PATCH", "name", "Slashed").OK()
		has("mona", `{"fragment":"narrow/is/alerted","is_pinned":false,"name":"Alerts"},{"fragment":"narrow/is/alerted//",`+
			`"is_pinned":false,"name":"Slashed"}`)
		mona.Do("DELETE " + path + "/" + slashed).OK()
		has("mona", `{"fragment":"narrow/is/alerted","is_pinned":false,"name":"Alerts"}`)
		s.Restart()
		has("bob", want)
	})
}

func TestRefused(t *testing.T) {
	s := kittest.Start(t, messages.Module, events.Module, navigation.Module)
	s.As("bob").Do("POST "+path, "fragment", followed, "is_pinned", "true", "name", "Followed").OK()
	s.As("bob").Do("POST "+path, "fragment", "inbox", "is_pinned", "true").OK()
	s.As("alice").Do("POST "+path, "fragment", "narrow/is/alerted", "is_pinned", "true", "name", "Alerts").OK()
	for _, c := range []struct {
		as, call  string
		params    []string
		status    int
		code, msg string
	}{
		{"bob", "POST ", []string{"is_pinned", "true"}, 400, "REQUEST_VARIABLE_MISSING", "Missing 'fragment' argument"},
		{"bob", "POST ", []string{"fragment", "recent"}, 400, "REQUEST_VARIABLE_MISSING", "Missing 'is_pinned' argument"},
		{"bob", "POST ", []string{"fragment", "recent", "is_pinned", "1"}, 400, "BAD_REQUEST", "is_pinned is not a boolean"},
		{"bob", "POST ", []string{"fragment", " ", "is_pinned", "true", "name", "x"}, 400, "BAD_REQUEST",
			"fragment cannot be blank"},
		{"bob", "POST ", []string{"fragment", "recent", "is_pinned", "true", "name", "x"}, 400, "BAD_REQUEST",
			"Built-in views cannot have a custom name."},
		{"bob", "POST ", []string{"fragment", "narrow", "is_pinned", "true", "name", " "}, 400, "BAD_REQUEST",
			"The name of a view cannot be blank."},
		{"bob", "POST ", []string{"fragment", "inbox", "is_pinned", "true"}, 400, "BAD_REQUEST",
			"Navigation view already exists."},
		{"bob", "POST ", []string{"fragment", "narrow", "is_pinned", "true", "name", "Followed"}, 400, "BAD_REQUEST",
			"Navigation view already exists."},
		{"bob", "PATCH /inbox", []string{"name", "x"}, 400, "BAD_REQUEST", "Built-in views cannot have a custom name."},
		{"bob", "PATCH /" + followed, []string{"name", ""}, 400, "BAD_REQUEST", "The name of a view cannot be blank."},
		{"bob", "PATCH /recent", []string{"is_pinned", "true"}, 404, "NOT_FOUND", "Navigation view does not exist."},
		// This view belongs to alice.
		{"bob", "PATCH /narrow/is/alerted", []string{"name", "Mine"}, 404, "NOT_FOUND", "Navigation view does not exist."},
		{"bob", "DELETE /narrow/is/alerted", nil, 404, "NOT_FOUND", "Navigation view does not exist."},
		{"bob", "PATCH /" + followed + "/", []string{"is_pinned", "true"}, 404, "NOT_FOUND",
			"Navigation view does not exist."},
		{"bob", "DELETE /" + followed + "/", nil, 404, "NOT_FOUND", "Navigation view does not exist."},
		{"bob", "DELETE /narrow/is", nil, 404, "NOT_FOUND", "Navigation view does not exist."},
	} {
		s.Skip()
		method, rest, _ := strings.Cut(c.call, " ")
		s.In(t).As(c.as).Do(method+" "+path+rest, c.params...).Error(c.status, c.code, c.msg)
		s.NoEvents()
	}
	s.As("guest").Do("POST "+path, "fragment", "recent", "is_pinned", "true", "color", "#fff").Is(200,
		`{"result":"success","msg":"","ignored_parameters_unsupported":["color"]}`)
	for i := range 198 {
		s.As("bob").Do("POST "+path, "fragment", fmt.Sprint(i), "is_pinned", "false", "name", fmt.Sprint(i)).OK()
	}
	s.Skip()
	s.As("bob").Do("POST "+path, "fragment", "recent", "is_pinned", "true").Error(400, "BAD_REQUEST",
		"Too many navigation views (limit: 200).")
	s.NoEvents()
}

// The longest fragment fits into the database's index. Its characters are all different, so that the database cannot
// compress it.
func TestLongestFragment(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: database}, navigation.Module)
		bob := s.As("bob")
		var all []rune
		for i := range rune(1000) {
			all = append(all, 0x4e00+i*7919%20_000)
		}
		for _, long := range []string{string(all), string(all[:667])} {
			s.Skip()
			bob.Do("POST "+path, "fragment", long, "is_pinned", "true", "name", "Long").
				Error(400, "BAD_REQUEST", "fragment is too long (limit: 2000 bytes)")
			s.NoEvents()
		}
		longest := string(all[:666]) + "ab"
		bob.Do("POST "+path, "fragment", longest, "is_pinned", "true", "name", "Long").OK()
		at := path + "/" + url.PathEscape(longest)
		bob.Do("PATCH "+at, "is_pinned", "false").OK()
		bob.Do("GET "+path).Is(200, `{"result":"success","msg":"","navigation_views":[{"fragment":"`+longest+
			`","is_pinned":false,"name":"Long"}]}`)
		bob.Do("DELETE " + at).OK()
		bob.Do("GET "+path).Is(200, `{"result":"success","msg":"","navigation_views":[]}`)
	})
}

func TestProfileDeleted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
			Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"},
			realm.Module, accounts.Module, navigation.Module)
		for _, who := range []string{"alice", "bob"} {
			s.As(who).Do("POST "+path, "fragment", "inbox", "is_pinned", "true").OK()
		}
		has := func(who, want string) {
			t.Helper()
			s.As(who).Do("GET "+path).Is(200, `{"result":"success","msg":"","navigation_views":[`+want+`]}`)
		}
		const inbox = `{"fragment":"inbox","is_pinned":true,"name":null}`
		bob := fmt.Sprintf("/users/%d", s.UserID("bob"))
		s.As("olga").Do("DELETE " + bob).OK()
		s.As("olga").Do("POST " + bob + "/reactivate").OK()
		s.LogIn("bob")
		has("bob", inbox)
		s.As("olga").Do("DELETE "+bob, "actions", `{"delete_profile":true}`).OK()
		s.As("olga").Do("POST " + bob + "/reactivate").OK()
		s.LogIn("bob")
		has("bob", "")
		has("alice", inbox)
	})
}
