package presence_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// A user who comes online is announced to each kind of client in its own format. A user who was not away is not
// announced.
func TestEvents(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := s.UserID("alice")
		plain, slim := listen(s, "bob"), listen(s, "guest", "slim_presence", "true")
		last, simple := listen(s, "mona", "presence_last_update_id", "-1"),
			listen(s, "bot", "client_capabilities", `{"simplified_presence_events":true}`)
		expectPresence := func(seconds, active, idle int) {
			t.Helper()
			status, when := "active", kittest.Epoch().Unix()+int64(active)
			if active+70 < idle {
				status, when = "idle", kittest.Epoch().Unix()+int64(idle)
			}
			now := kittest.Epoch().Unix() + int64(seconds)
			website := fmt.Sprintf(`"presence":{"website":{"client":"website","pushable":false,"status":%q,"timestamp":%d}},`+
				`"server_timestamp":%d,"type":"presence"`, status, when, now)
			same(t, "the older form", plain.next(), fmt.Sprintf(`[{"email":"alice@example.com",%s,"user_id":%d}]`, website, id))
			for _, q := range []queue{slim, last} {
				same(t, "without e-mail", q.next(), fmt.Sprintf(`[{%s,"user_id":%d}]`, website, id))
			}
			same(t, "the modern form", simple.next(),
				fmt.Sprintf(`[{"presences":{"%d":{"active_timestamp":%d,"idle_timestamp":%d}},"type":"presence"}]`,
					id, kittest.Epoch().Unix()+int64(active), kittest.Epoch().Unix()+int64(idle)))
		}
		s.Skip()
		ping(s, "alice", "active")
		expectPresence(0, 0, 0)
		for _, quiet := range []struct {
			at     int
			status string
			// At most 130 s apart.
		}{{56, "idle"}, {60, "active"}, {120, "active"}, {250, "active"}, {310, "idle"}, {370, "idle"}} {
			at(s, quiet.at)
			ping(s, "alice", quiet.status)
		}
		at(s, 381) // the user was away for 131 s, the client was not
		ping(s, "alice", "active")
		expectPresence(381, 381, 381)
		at(s, 1000)
		ping(s, "alice", "idle")
		at(s, 1001)
		ping(s, "alice", "active")
		expectPresence(1001, 1001, 1001)
		s.Events(`presence seeing:alice {"user_id":"*","active_timestamp":"*","idle_timestamp":"*","server_timestamp":"*"}`,
			`presence seeing:alice`, `presence seeing:alice`)
		for _, q := range []queue{plain, slim, last, simple} {
			same(t, "no more", q.next(), "[]")
		}
	})
}

// A user who becomes invisible immediately appears to have been away for some minutes, and reports nothing. A user who
// becomes visible again is shown as present.
func TestHiding(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		at(s, 1000)
		ping(s, "alice", "active")
		_, last := look(s, "bob", -1)
		q := listen(s, "bob", "client_capabilities", `{"simplified_presence_events":true}`)
		s.Skip()
		event := func(active, idle int) string {
			return fmt.Sprintf(`[{"presences":{"%d":{"active_timestamp":%d,"idle_timestamp":%d}},"type":"presence"}]`,
				s.UserID("alice"),
				kittest.Epoch().Unix()+int64(active), kittest.Epoch().Unix()+int64(idle))
		}
		set := func(value string) { s.As("alice").Do("PATCH /settings", "presence_enabled", value).OK() }
		at(s, 1010)
		set("false")
		s.Events(`user_settings/update user:alice {"property":"presence_enabled","value":false}`, `presence seeing:alice`)
		same(t, "hidden", q.next(), event(690, 690))
		at(s, 1300)
		a := report(s, "alice", "active", "slim_presence", "true")
		same(t, "still sees others", modern(s, a), seen{"alice": {690, 690}, "bob": {0, 1000}})
		got, last := look(s, "bob", last)
		same(t, "hidden", got, seen{"alice": {690, 690}, "bob": {0, 1300}})
		set("false")
		s.NoEvents()
		same(t, "nothing new", q.next(), "[]")
		at(s, 1310)
		set("true")
		s.Events(`user_settings/update user:alice`, `presence seeing:alice`)
		same(t, "back", q.next(), event(1310, 1310))
		got, last = look(s, "bob", last)
		same(t, "back", got, seen{"alice": {1310, 1310}})
		set("false") // after a short absence
		same(t, "hidden again", q.next(), event(990, 990))
		at(s, 1350)
		s.As("alice").Do("PATCH /settings", "color_scheme", "2").OK() // another setting
		same(t, "nothing", q.next(), "[]")
		got, _ = look(s, "bob", last)
		same(t, "hidden again", got, seen{"alice": {990, 990}})
		s.As("olga").Do("PATCH /settings", "presence_enabled", "false").OK() // she was never seen
		got, _ = look(s, "bob", last+1)
		same(t, "never seen", got, seen{"olga": {0, 1030}})
	})
}

// In a realm with more than 100 active users, clients must poll to see who came online, but get an event immediately
// when a user becomes invisible.
func TestManyPeople(t *testing.T) {
	for _, c := range []struct {
		people int
		want   []string
	}{
		{100, []string{`presence seeing:alice`}},
		{101, nil},
	} {
		t.Run(fmt.Sprint(c.people), func(t *testing.T) {
			s := start(t, "", crowd(c.people-len(everybody)))
			s.Skip()
			ping(s, "alice", "active")
			s.Events(c.want...)
			got, _ := look(s, "bob", -1)
			same(t, "stored", got, seen{"alice": {0, 0}, "bob": {0, 0}})
			s.As("alice").Do("PATCH /settings", "presence_enabled", "false").OK()
			s.EventsOf("presence", `presence seeing:alice`)
		})
	}
}

// crowd adds n users.
func crowd(n int) kit.Module {
	load := func(_ context.Context, r realm.ID, b *directory.Builder) error {
		for i := range n {
			email, key := crowdLogin(i)
			sum := sha256.Sum256([]byte(key))
			b.User(&user.User{ID: user.ID(firstOfCrowd + i), DeliveryEmail: email, FullName: fmt.Sprint("Zeno ", i),
				Role: user.Member, Active: true,
				Joined: kittest.Epoch().Add(-time.Hour), Settings: user.Defaults(),
				Keys: []user.KeyHash{user.KeyHash(hex.EncodeToString(sum[:]))}})
		}
		return nil
	}
	return kit.Define("crowd", "Many people.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Directory: []directory.Part{{Name: "crowd", Load: load}}}, nil
	})
}

const firstOfCrowd = 1_000_000

func crowdLogin(i int) (email, key string) {
	return fmt.Sprintf("u%d@example.com", i), fmt.Sprintf("the-key-of-somebody-%012d", i)
}
