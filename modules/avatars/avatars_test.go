package avatars_test

import (
	"fmt"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/avatars"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, avatars.Module, realm.Module, accounts.Module, imagestore.Module, disk.Module, images.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, avatars.Module,
		imagestore.Module, disk.Module, images.Module)
	s.Skip()
	return s
}

func upload(s *kittest.Server, who string) *kittest.Response {
	s.T.Helper()
	return s.As(who).Upload("POST /users/me/avatar", "me.png", kittest.PNG(300, 200))
}

// size returns the width of the image at a URL, or 0 if there is none.
func size(s *kittest.Server, address string) int {
	s.T.Helper()
	a := s.Anonymous().Under("").Do("GET " + address)
	if a.Status == 404 {
		return 0
	}
	c, err := png.DecodeConfig(strings.NewReader(a.Body))
	if err != nil || a.Header.Get("Content-Type") != "image/png" || c.Width != c.Height {
		s.T.Fatalf("%s: %v, %+v", address, err, c)
	}
	return c.Width
}

func medium(address string) string { return strings.Replace(address, ".png", "-medium.png", 1) }

// location returns the URL to which GET /avatar/{path} redirects.
func location(s *kittest.Server, c *kittest.Client, path string) string {
	s.T.Helper()
	a := c.Under("").Do("GET /avatar/" + path)
	if a.Status != 302 {
		s.T.Fatalf("/avatar/%s: %d %s", path, a.Status, a.Body)
	}
	return a.Header.Get("Location")
}

func TestAvatar(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		record := func(who string) string {
			t.Helper()
			a := s.As(who).Do(fmt.Sprintf("GET /users/%d", s.UserID("alice"))).OK()
			return kittest.JSON(a.Get("user.avatar_url")) + kittest.JSON(a.Get("user.avatar_version"))
		}
		kittest.Equal(t, "at first", record("bob"), "null1") // computed by the client
		queue := func(who, gravatar string) func() string {
			q := s.As(who).Register("event_types", `["realm_user"]`, "client_gravatar", gravatar)
			return func() string {
				t.Helper()
				a := q.Take()
				n := len(a.Get("events").([]any))
				if n != 1 {
					t.Fatalf("%s: %d events", who, n)
				}
				return a.String("events.0.op") + kittest.JSON(a.Get("events.0.person"))
			}
		}
		guest, alice := queue("guest", "true"), queue("alice", "false")
		id := s.UserID("alice")

		url1 := upload(s, "alice").OK().String("avatar_url")
		s.Events(`realm_user/update seeing:alice {"avatar":"*"}`)
		path, version, _ := strings.Cut(url1, "?")
		if !strings.HasPrefix(path, "/user_avatars/1/") || version != "version=2" {
			t.Error(url1)
		}
		if size(s, url1) != 100 || size(s, medium(url1)) != 500 {
			t.Errorf("sizes %d, %d", size(s, url1), size(s, medium(url1)))
		}
		event := fmt.Sprintf(`update{"avatar_source":"U","avatar_url":%q,"avatar_url_medium":%q,"avatar_version":2,`+
			`"user_id":%d}`, url1, medium(url1), id)
		kittest.Equal(t, "event", guest(), event)
		kittest.Equal(t, "event of oneself", alice(), event)
		for _, who := range []string{"bob", "guest", "alice"} {
			kittest.Equal(t, who, record(who), fmt.Sprintf("%q2", url1))
		}
		reg := s.As("alice").Do("POST /register", "fetch_event_types", `["realm_user"]`, "client_gravatar", "true").OK()
		kittest.Equal(t, "register",
			reg.String("avatar_url")+reg.String("avatar_url_medium")+reg.String("avatar_source"), url1+medium(url1)+"U")
		m := s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content",
			"hi").OK().Int("id")
		kittest.Equal(t, "message",
			s.As("bob").Do(fmt.Sprintf("GET /messages/%d", m)).OK().String("message.avatar_url"), url1)
		s.Skip()

		// A new avatar: the old one is deleted after a day.
		url2 := upload(s, "alice").OK().String("avatar_url")
		s.Events(`realm_user/update seeing:alice {"avatar":"*"}`)
		if url2 == url1 || !strings.HasSuffix(url2, "version=3") {
			t.Error(url2)
		}
		_, _ = guest(), alice()
		s.Restart()
		kittest.Equal(t, "stored", record("bob"), fmt.Sprintf("%q3", url2))
		s.RunJob("images.remove unused")
		if size(s, url1) != 100 {
			t.Error("deleted immediately")
		}
		s.Clock.Advance(25 * time.Hour)
		s.RunJob("images.remove unused")
		if size(s, url1) != 0 || size(s, medium(url1)) != 0 || size(s, url2) != 100 || size(s, medium(url2)) != 500 {
			t.Error("the wrong avatars are left")
		}

		// Remove the avatar. The queues have expired, so register new ones.
		guest, alice = queue("guest", "true"), queue("alice", "false")
		def := s.As("alice").Do("DELETE /users/me/avatar").OK().String("avatar_url")
		s.Events(`realm_user/update seeing:alice {"avatar":"*"}`)
		if !strings.HasPrefix(def, "https://secure.gravatar.com/avatar/") || !strings.HasSuffix(def, "version=4") {
			t.Error(def)
		}
		event = fmt.Sprintf(`update{"avatar_source":"G","avatar_url":%s,"avatar_url_medium":%s,"avatar_version":4,`+
			`"user_id":%d}`, kittest.JSON(def), kittest.JSON(def+"&s=500"), id)
		kittest.Equal(t, "event for clients that compute it", guest(), event)
		kittest.Equal(t, "event for a client that does not", alice(), event)
		kittest.Equal(t, "afterwards", record("bob"), "null4")
		s.As("alice").Do("DELETE /users/me/avatar").Is(200, fmt.Sprintf(`{"result":"success","msg":"","avatar_url":%q}`, def))
		s.NoEvents()
		s.Clock.Advance(25 * time.Hour)
		s.RunJob("images.remove unused")
		if size(s, url2) != 0 {
			t.Error("still there")
		}

		// Without an uploaded avatar, users have a generated one if that is the realm's default.
		s.As("adam").Do("PATCH /realm", "default_avatar_source", "J").OK()
		s.Skip()
		guest = queue("guest", "true")
		made := s.As("alice").Do("DELETE /users/me/avatar").OK().String("avatar_url")
		s.Events(`realm_user/update seeing:alice {"avatar":"*"}`)
		if size(s, made) != 100 || size(s, medium(made)) != 500 {
			t.Error(made)
		}
		kittest.Equal(t, "event", guest(), fmt.Sprintf(
			`update{"avatar_source":"J","avatar_url":%q,"avatar_url_medium":%q,"avatar_version":5,"user_id":%d}`, made,
			medium(made), id))
	})
}

func TestRefused(t *testing.T) {
	s := start(t, "")
	s.Anonymous().Upload("POST /users/me/avatar", "a", kittest.PNG(300, 200)).Error(401, "UNAUTHORIZED", "Not logged in")
	s.As("alice").Upload("POST /users/me/avatar", "a", []byte("no")).Error(400, "BAD_IMAGE", "Could not decode image")
	s.As("alice").Do("POST /users/me/avatar").Error(400, "BAD_REQUEST", "You must specify a file to upload")
	s.As("alice").Upload("POST /users/me/avatar", "a", append(kittest.PNG(300, 200), make([]byte, 5<<20)...)).Error(400,
		"BAD_REQUEST", "Uploaded file is larger than the allowed limit of 5 MiB")
	s.NoEvents()
	s.As("adam").Do("PATCH /realm", "avatar_changes_disabled", "true").OK()
	s.Skip()
	for _, who := range []string{"alice", "mona", "guest", "bot"} {
		upload(s, who).Error(400, "BAD_REQUEST", "Avatar changes are disabled in this organization.")
		s.As(who).Do("DELETE /users/me/avatar").Error(400, "BAD_REQUEST", "Avatar changes are disabled in this organization.")
	}
	s.NoEvents()
	upload(s, "adam").OK()
	s.As("adam").Do("PATCH /realm", "avatar_changes_disabled", "false").OK()
	for _, who := range []string{"guest", "bot"} {
		upload(s, who).OK()
	}
}

// GET /avatar redirects to the image. Hidden and missing users are indistinguishable.
func TestRedirect(t *testing.T) {
	s := start(t, "")
	url := upload(s, "alice").OK().String("avatar_url")
	s.Skip()
	alice := fmt.Sprint(s.UserID("alice"))
	bob := s.As("bob")
	kittest.Equal(t, "by id", location(s, bob, alice), url)
	kittest.Equal(t, "medium", location(s, bob, alice+"/medium"), medium(url))
	kittest.Equal(t, "by e-mail", location(s, bob, "alice@example.com"), url)
	kittest.Equal(t, "by e-mail, medium", location(s, bob, "ALICE@example.com/medium"), medium(url))
	kittest.Equal(t, "query", location(s, bob, alice+"?v=7&x=%20y"), url+"&v=7&x=%20y")
	if got := location(s, bob, fmt.Sprint(s.UserID("bob"))+"?v=7"); !strings.HasPrefix(got,
		"https://secure.gravatar.com/avatar/") || !strings.HasSuffix(got, "version=1&v=7") {
		t.Error(got)
	}
	if got := location(s, bob, "999999"); !strings.HasPrefix(got, "https://secure.gravatar.com/avatar/") {
		t.Error(got)
	}
	// If a user hides the email address, it redirects like an address that no user has.
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "5").OK()
	if got := location(s, bob, "alice@example.com"); strings.Contains(got, "/user_avatars/") {
		t.Error("the address reveals its user:", got)
	}
	kittest.Equal(t, "by the address that is shown", location(s, bob, "user"+alice+"@"+"stoa.invalid"), url)

	// Guests with restricted access to users.
	mona := fmt.Sprint(s.UserID("mona"))
	seen := upload(s, "mona").OK().String("avatar_url")
	kittest.Equal(t, "a guest who sees everyone", location(s, s.As("guest"), mona), seen)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	s.As("guest").Do("GET /users/"+mona).Error(400, "BAD_REQUEST", "No such user")
	unseen, none := location(s, s.As("guest"), mona), location(s, s.As("guest"), "999999")
	if !strings.HasPrefix(unseen, "https://secure.gravatar.com/avatar/") || len(unseen) != len(none) {
		t.Errorf("a guest is redirected to %s, and for a missing user to %s", unseen, none)
	}
	kittest.Equal(t, "a guest, for a user in a shared channel", location(s, s.As("guest"), alice), url)

	// Without login.
	if a := s.Anonymous().Under("").Do("GET /avatar/" + alice); a.Status != 401 {
		t.Error(a.Status)
	}
	s.As("olga").Do("PATCH /realm", "enable_spectator_access", "true").OK()
	if hidden := location(s, s.Anonymous(), alice); !strings.HasPrefix(hidden, "https://secure.gravatar.com/avatar/") {
		t.Error("in a realm that hides users, spectators are redirected to", hidden)
	}
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":7}`).OK()
	kittest.Equal(t, "spectators", location(s, s.Anonymous(), alice), url)
	kittest.Equal(t, "spectators, medium", location(s, s.Anonymous(), alice+"/medium"), medium(url))
	if a := s.Anonymous().Under("").Do("GET /avatar/alice@example.com"); a.Status != 401 {
		t.Error("spectators by email address:", a.Status)
	}
	if a := s.As("bob").Under("").Do("POST /avatar/" + alice); a.Status != 405 {
		t.Error(a.Status)
	}
}
