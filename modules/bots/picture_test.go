package bots_test

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/avatars"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// servesImage reports whether a URL serves an image with the size of an avatar.
func servesImage(s *kittest.Server, address string) bool {
	s.T.Helper()
	a := s.Anonymous().Under("").Do("GET " + address)
	if a.Status == 404 {
		return false
	}
	c, err := png.DecodeConfig(strings.NewReader(a.Body))
	if err != nil || c.Width != 100 || c.Height != 100 {
		s.T.Errorf("%s: %v, %+v", address, err, c)
	}
	return true
}

// A bot's avatar can be set when it is created or later, by its owner and by administrators, even if users cannot
// change their own.
func TestPictures(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, groups.Module,
			channels.Module, messages.Module,
			events.Module, bots.Module, avatars.Module, imagestore.Module, disk.Module, images.Module)
		s.As("olga").Do("PATCH /realm", "avatar_changes_disabled", "true").OK()
		q := s.As("guest").Register("event_types", `["realm_user"]`, "client_gravatar", "false")
		received := func() (urls []string) {
			t.Helper()
			a := q.Take()
			for i := range a.Get("events").([]any) {
				if at := fmt.Sprintf("events.%d.person.", i); a.String(fmt.Sprintf("events.%d.op", i)) == "update" {
					if a.Has(at + "full_name") {
						continue
					}
					if a.String(at+"avatar_source") != "U" {
						t.Errorf("guest received %s", a.Body)
					}
					urls = append(urls, a.String(at+"avatar_url"))
				}
			}
			return urls
		}
		a := s.As("alice").Upload("POST /bots", "me.png", kittest.PNG(300, 200), "full_name", "Painted", "short_name",
			"painted").OK()
		m, first := testBot{s, a.Int("user_id"), "painted-bot@stoa.invalid", a.String("api_key")}, a.String("avatar_url")
		if !servesImage(s, first) || m.user().String("user.avatar_url") != first {
			t.Errorf("created with %s, shown as %s", first, m.user().Body)
		}
		if got := fmt.Sprint(received()); got != fmt.Sprint([]string{first}) {
			t.Errorf("guest received %s, want %s", got, first)
		}

		second := s.As("alice").Upload(m.path("PATCH /bots/%d"), "me.png", kittest.PNG(300, 200), "full_name",
			"Repainted").OK()
		if u := second.String("avatar_url"); u == first || !servesImage(s, u) || second.String("full_name") != "Repainted" {
			t.Errorf("then %s", second.Body)
		}
		third := s.As("adam").Upload(m.path("PATCH /bots/%d"), "me.png", kittest.PNG(300, 200)).OK().String("avatar_url")
		if got, want := fmt.Sprint(received()), fmt.Sprint([]string{second.String("avatar_url"), third}); got != want {
			t.Errorf("guest received %s, want %s", got, want)
		}
		s.Restart()
		if got := m.user().String("user.avatar_url"); got != third {
			t.Errorf("after a restart %s, want %s", got, third)
		}

		plain := makeBot(s, "alice", "plain")
		was := plain.user().Body
		s.Skip()
		for _, c := range []struct {
			as, call string
			file     []byte
			code     string
			params   []string
		}{
			{"bob", plain.path("PATCH /bots/%d"), kittest.PNG(300, 200), "BAD_REQUEST", nil},
			{"alice", plain.path("PATCH /bots/%d"), []byte("no picture"), "BAD_IMAGE", []string{"full_name", "x"}},
			{"alice", plain.path("PATCH /bots/%d"), kittest.PNG(300, 200), "BAD_REQUEST", []string{"full_name", ""}},
			{"alice", plain.path("PATCH /bots/%d"), bytes.Repeat([]byte{0}, 6<<20), "BAD_REQUEST", nil},
			{"alice", fmt.Sprintf("PATCH /bots/%d", s.UserID("bob")), kittest.PNG(300, 200), "BAD_REQUEST", nil},
			{"guest", "POST /bots", kittest.PNG(300, 200), "BAD_REQUEST", []string{"full_name", "y", "short_name", "y"}},
			{"alice", "POST /bots", []byte("no picture"), "BAD_IMAGE", []string{"full_name", "y", "short_name", "y"}},
			{"alice", "POST /bots", kittest.PNG(300, 200), "BAD_REQUEST", []string{"full_name", "y", "short_name", "plain"}},
		} {
			if a := s.As(c.as).Upload(c.call, "me.png", c.file, c.params...); a.Status < 400 || a.String("code") != c.code {
				t.Errorf("%s %s: %d %s", c.as, c.call, a.Status, a.Body)
			}
		}
		if plain.user().Body != was {
			t.Errorf("a refused request changed %s", plain.user().Body)
		}
		s.NoEvents()
	})
}

func TestNoPictures(t *testing.T) {
	s := start(t, "")
	m := makeBot(s, "alice", "plain")
	s.Skip()
	const want = "This server does not store avatars."
	s.As("alice").Upload(m.path("PATCH /bots/%d"), "me.png", kittest.PNG(300, 200), "full_name", "x").Error(400,
		"BAD_REQUEST", want)
	s.As("alice").Upload("POST /bots", "me.png", kittest.PNG(300, 200), "full_name", "y", "short_name", "y").Error(400,
		"BAD_REQUEST", want)
	s.NoEvents()
}
