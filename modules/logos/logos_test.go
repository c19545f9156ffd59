package logos_test

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
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/logos"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, logos.Module, realm.Module, accounts.Module, imagestore.Module, disk.Module, images.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: url},
		realm.Module, accounts.Module, channels.Module, events.Module, logos.Module, imagestore.Module, disk.Module,
		images.Module)
	s.Skip()
	return s
}

// size returns the size of the image at a URL, or "none".
func size(s *kittest.Server, address string) string {
	s.T.Helper()
	a := s.Anonymous().Under("").Do("GET " + address)
	if a.Status == 404 {
		return "none"
	}
	c, err := png.DecodeConfig(strings.NewReader(a.Body))
	if err != nil {
		s.T.Fatalf("%s: %v", address, err)
	}
	return fmt.Sprintf("%dx%d", c.Width, c.Height)
}

// shown returns an image and its source from a user's /register.
func shown(s *kittest.Server, who, name string) string {
	s.T.Helper()
	a := s.As(who).Do("POST /register", "fetch_event_types", `["realm"]`).OK()
	return a.String("realm_"+name+"_url") + " " + a.String("realm_"+name+"_source")
}

const (
	none     = "/static/stoa/icon.svg"
	notAdmin = "Must be an organization administrator"
)

func TestEmblems(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		for _, c := range []struct{ path, name, night, reset, size string }{
			{"icon", "icon", "", "G", "100x100"},
			{"logo", "logo", "false", "D", "400x100"},
			{"logo", "night_logo", "true", "D", "400x100"},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := start(t, fresh(t, url))
				var params []string
				if c.night != "" {
					params = []string{"night", c.night}
				}
				upload := func(who string) *kittest.Response {
					t.Helper()
					return s.As(who).Upload("POST /realm/"+c.path, "a.png", kittest.PNG(800, 200), params...)
				}
				event := func(address, source string) string {
					return fmt.Sprintf(`realm/update_dict everyone {"property":%q,"data":{"%s_url":%q,"%s_source":%q}}`, c.name,
						c.name, address, c.name, source)
				}
				address := func() string { a, _, _ := strings.Cut(shown(s, "guest", c.name), " "); return a }
				kittest.Equal(t, "at first", shown(s, "alice", c.name), none+" "+c.reset)
				q := s.As("guest").Register("event_types", `["realm"]`)

				res := upload("adam").OK()
				first := address()
				if !strings.HasPrefix(first, "/user_avatars/1/realm/") || !strings.HasSuffix(first, ".png?version=2") {
					t.Error(first)
				}
				s.Events(event(first, "U"))
				kittest.Equal(t, "size", size(s, first), c.size)
				kittest.Equal(t, "register", shown(s, "bot", c.name), first+" U")
				if c.path == "icon" {
					kittest.Equal(t, "answer", res.String("icon_url"), first)
					kittest.Equal(t, "before login", s.Anonymous().Do("GET /server_settings").OK().String("realm_icon"), s.URL+first)
				}
				got := q.Take()
				kittest.Equal(t, "event of a guest", got.String("events.0.data."+c.name+"_url")+got.String("events.0.property")+
					got.String("events.0.op"), first+c.name+"update_dict")
				for _, who := range []string{"guest", "bot"} {
					a := s.As(who).Do("GET /realm/"+c.path, params...)
					if a.Status != 302 || !strings.HasPrefix(a.Header.Get("Location"), first) || c.night != "" &&
						a.Header.Get("Location") != first+"&night="+c.night {
						t.Errorf("%d to %s", a.Status, a.Header.Get("Location"))
					}
				}
				for _, other := range []string{"icon", "logo", "night_logo"} {
					if other != c.name && !strings.HasPrefix(shown(s, "alice", other), none) {
						t.Errorf("%s changed too", other)
					}
				}

				upload("olga").OK()
				second := address()
				s.Events(event(second, "U"))
				s.Restart()
				kittest.Equal(t, "stored", shown(s, "alice", c.name), second+" U")
				s.Clock.Advance(25 * time.Hour)
				s.RunJob("images.remove unused")
				kittest.Equal(t, "the first", size(s, first), "none")
				kittest.Equal(t, "the second", size(s, second), c.size)

				// Rejected requests change nothing.
				for _, who := range []string{"mona", "alice", "guest", "bot"} {
					upload(who).Error(400, "UNAUTHORIZED_PRINCIPAL", notAdmin)
					s.As(who).Do("DELETE /realm/"+c.path, params...).Error(400, "UNAUTHORIZED_PRINCIPAL", notAdmin)
				}
				s.As("adam").Upload("POST /realm/"+c.path, "x", []byte("<svg/>"), params...).Error(400, "BAD_IMAGE",
					"Could not decode image")
				s.As("adam").Do("POST /realm/"+c.path, params...).Error(400, "BAD_REQUEST", "You must specify a file to upload")
				s.As("adam").Upload("POST /realm/"+c.path, "x", make([]byte, 5<<20+1), params...).Error(400, "BAD_REQUEST",
					"Uploaded file is larger than the allowed limit of 5 MiB")
				s.Anonymous().Do("GET /realm/"+c.path).Error(401, "UNAUTHORIZED", "Not logged in")
				if c.night != "" {
					s.As("adam").Upload("POST /realm/logo", "x", kittest.PNG(9, 9)).Error(400, "REQUEST_VARIABLE_MISSING",
						"Missing 'night' argument")
					s.As("adam").Do("DELETE /realm/logo").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'night' argument")
				}
				s.NoEvents()
				kittest.Equal(t, "after refusals", shown(s, "alice", c.name), second+" U")

				s.As("adam").Do("DELETE /realm/"+c.path, params...).OK()
				s.Events(event(none, c.reset))
				kittest.Equal(t, "in the end", shown(s, "alice", c.name), none+" "+c.reset)
				s.As("adam").Do("DELETE /realm/"+c.path, params...).OK()
				s.NoEvents()
				s.Clock.Advance(25 * time.Hour)
				s.RunJob("images.remove unused")
				kittest.Equal(t, "the second", size(s, second), "none")
			})
		}
	})
}

// fresh returns a new database, on PostgreSQL if url is a PostgreSQL database.
func fresh(t *testing.T, url string) string {
	t.Helper()
	if url == kittest.Memory {
		return url
	}
	return kittest.Postgres(t)
}
