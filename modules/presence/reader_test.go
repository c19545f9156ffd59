package presence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A guest with restricted access to users finds no trace of the hidden ones in lists, events or counters.
func TestRestrictedGuests(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		q, other := listen(s, "guest"), listen(s, "mona")
		members := s.As("olga").Do("GET /user_groups").OK()
		for i := range members.Get("user_groups").([]any) {
			if members.String(fmt.Sprintf("user_groups.%d.name", i)) == "role:members" {
				s.As("olga").Do("PATCH /realm", "can_access_all_users_group",
					fmt.Sprintf(`{"new":%d}`, members.Int(fmt.Sprintf("user_groups.%d.id", i)))).OK()
			}
		}
		ping(s, "guest", "active")
		q.next()
		ping(s, "alice", "active") // in general, like the guest
		ping(s, "mona", "active")  // in no channel
		ping(s, "adam", "idle")
		got, last := look(s, "guest", -1)
		same(t, "at first", got, seen{"alice": {0, 0}, "guest": {0, 0}})
		same(t, "counter", last, 2)
		same(t, "by events", len(q.next()), 1)
		same(t, "another user, by events", len(other.next()), 3)
		got, _ = look(s, "mona", -1)
		same(t, "another user", got, seen{"alice": {0, 0}, "guest": {0, 0}, "mona": {0, 0}, "adam": {0, 0}})
		for what, body := range map[string]string{
			"list": s.As("guest").Do("GET /realm/presence").OK().Body,
			"register": s.As("guest").Do("POST /register", "event_types", `["presence"]`).Is(200,
				`{"result":"success","msg":"","queue_id":"*",
				"last_event_id":"*","idle_queue_timeout_secs":"*","service_feature_level":"*","service_version":"*","service_merge_base":"*","server_timestamp":"*",
				"presence_last_update_id":2,"presences":{"alice@example.com":"*","guest@example.com":"*"}}`).Body,
		} {
			for _, hidden := range []string{"mona", "adam"} {
				if a := (&kittest.Response{T: t, Call: what, Status: 200,
					Body: body}); len(a.Get("presences").(map[string]any)) != 2 ||
					a.Get("presences").(map[string]any)[hidden+"@example.com"] != nil {
					t.Errorf("%s: %s", what, body)
				}
			}
		}
		for _, whom := range []string{fmt.Sprint(s.UserID("mona")), "mona@example.com", "999999"} {
			s.As("guest").Do("GET /users/"+whom+"/presence").Is(400,
				`{"result":"error","msg":"No such user","code":"BAD_REQUEST"}`)
		}
		s.As("guest").Do(fmt.Sprintf("GET /users/%d/presence", s.UserID("alice"))).OK()
		at(s, 300)
		ping(s, "mona", "active")
		before := s.As("guest").Do(path, "status", "idle", "last_update_id", "2").OK().Int("presence_last_update_id")
		ping(s, "adam", "active")
		s.As("olga").Do("PATCH /settings", "presence_enabled", "false").OK()
		got, last = look(s, "guest", before)
		same(t, "hidden users", got, seen{"olga": {-20, -20}})
		if same(t, "by events", len(q.next()), 1); last <= before {
			t.Errorf("counter %d after %d", last, before)
		}
	})
}

// Deactivated users have no presence. Reactivation restores it.
func TestDeactivated(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice := s.UserID("alice")
		ping(s, "alice", "active")
		_, last := look(s, "bob", -1)
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", alice)).OK()
		got, _ := look(s, "bob", -1)
		same(t, "deactivated", got, seen{"bob": {0, 0}})
		got, _ = look(s, "bob", last)
		same(t, "deactivated, since", got, seen{})
		s.As("bob").Do("GET /users/alice@example.com/presence").Error(400, "BAD_REQUEST", "No such user")
		s.As("alice").Do(path, "status", "active").Error(401, "UNAUTHORIZED", "deactivated")
		at(s, 60)
		s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", alice)).OK()
		got, _ = look(s, "bob", last)
		same(t, "reactivated, since", got, seen{"alice": {0, 0}, "bob": {0, 60}})
		s.As("bob").Do("GET /users/alice@example.com/presence").OK()
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
		s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("mona"))).OK() // she never reported
		s.As("bob").Do("GET /users/mona@example.com/presence").Error(400, "BAD_REQUEST", "No presence data")
	})
}

// If presence is disabled in a realm, nothing is stored and no events are sent.
func TestDisabled(t *testing.T) {
	s := start(t, "")
	ping(s, "alice", "active")
	q := listen(s, "bob")
	at(s, 1000)
	ping(s, "mona", "active")
	s.As("olga").Do("PATCH /realm", "presence_disabled", "true").OK()
	s.Skip()
	at(s, 2000)
	ping(s, "bob", "active")
	got, last := look(s, "bob", -1)
	same(t, "nobody", got, seen{})
	same(t, "counter", last, -1)
	_, last = look(s, "bob", 1)
	same(t, "the given counter", last, 1)
	s.As("bob").Do("GET /realm/presence").Is(200, `{"result":"success","msg":"","server_timestamp":"*","presences":{}}`)
	s.As("bob").Do("GET /users/alice@example.com/presence").Error(400, "BAD_REQUEST",
		"No presence data for alice@example.com")
	if a := s.As("bob").Do("POST /register", "fetch_event_types",
		`["presence"]`).OK(); kittest.JSON(a.Get("presences")) != "{}" || a.Int("presence_last_update_id") != -1 {
		t.Errorf("%s", a.Body)
	}
	same(t, "the event from before", q.next(), "[]")
	s.NoEvents()
	s.As("alice").Do("PATCH /settings", "presence_enabled", "false").OK()
	s.EventsOf("presence")
	s.As("mona").Do("PATCH /settings", "presence_enabled", "false").OK()
	s.As("mona").Do("PATCH /settings", "presence_enabled", "true").OK()
	s.EventsOf("presence")
	s.As("olga").Do("PATCH /realm", "presence_disabled", "false").OK()
	got, _ = look(s, "bob", 0)
	same(t, "stored presence", got, seen{"alice": {0, 0}, "mona": {1000, 1000}, "bob": {0, 2000}})
}

// The snapshot equals the state of an incremental reader, in the format that the client requests.
func TestRegister(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		register := func(params ...string) *kittest.Response {
			t.Helper()
			return s.As("bob").Do("POST /register", append([]string{"fetch_event_types", `["presence","realm"]`},
				params...)...).OK()
		}
		a := register()
		if kittest.JSON(a.Get("presences")) != "{}" || a.Int("presence_last_update_id") != -1 ||
			fmt.Sprint(a.Get("server_timestamp")) != fmt.Sprint(kittest.Epoch().Unix()) {
			t.Errorf("nobody: %s", a.Body)
		}
		same(t, "interval", a.Int("server_presence_ping_interval_seconds"), 60)
		same(t, "threshold", a.Int("server_presence_offline_threshold_seconds"), 200)
		ping(s, "olga", "active")
		s.Clock.Advance(15 * 24 * time.Hour)
		ping(s, "alice", "active")
		s.Clock.Advance(71 * time.Second)
		ping(s, "alice", "idle")
		ping(s, "mona", "active")
		now := s.Clock.Now().Unix() - kittest.Epoch().Unix()
		for _, params := range [][]string{{"slim_presence", "true"},
			{"client_capabilities", `{"simplified_presence_events":true}`}, {"presence_last_update_id", "-1"}} {
			a := register(params...)
			same(t, "the modern format", modern(s, a), seen{"alice": {now - 71, now}, "mona": {now, now}})
			same(t, "counter", a.Int("presence_last_update_id"), 4)
		}
		a = register()
		same(t, "alice", kittest.JSON(a.Get("presences").(map[string]any)["alice@example.com"]),
			fmt.Sprintf(`{"aggregated":{"client":"website","status":"idle","timestamp":%d},`+
				`"website":{"client":"website","pushable":false,"status":"idle","timestamp":%[1]d}}`, s.Clock.Now().Unix()))
		same(t, "people", len(a.Get("presences").(map[string]any)), 2)
		same(t, "all", modern(s, register("slim_presence", "true", "presence_history_limit_days", "30")),
			seen{"olga": {0, 0}, "alice": {now - 71, now}, "mona": {now, now}})
		a = register("presence_last_update_id", "3")
		same(t, "since", modern(s, a), seen{"mona": {now, now}})
		same(t, "counter", a.Int("presence_last_update_id"), 4)
		if a := s.As("bob").Do("POST /register", "fetch_event_types", `["realm"]`).OK(); a.Has("presences") ||
			a.Has("presence_last_update_id") {
			t.Error("presence was not requested")
		}
		s.As("bob").Do("POST /register", "presence_history_limit_days", "-1").Error(400, "BAD_REQUEST",
			"presence_history_limit_days")
	})
}

// A reader that always polls with its last counter has the same state as a fresh snapshot at any time, whatever changes
// in between.
func TestIncrementalIsTheSnapshot(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		people := everybody[:6]
		state, after := map[string]seen{}, map[string]int64{}
		for _, who := range people {
			state[who], after[who] = seen{}, -1
		}
		for step := range 120 {
			s.Clock.Advance(time.Duration(step*step%47) * time.Second)
			who := people[step*7%5]
			if step%40 == 13 {
				s.As(who).Do("PATCH /settings", "presence_enabled", kittest.JSON(step%80 > 40)).OK()
			} else {
				ping(s, who, []string{"active", "idle"}[step%3%2])
			}
			reader := people[step*5%6]
			a := report(s, reader, "idle", "last_update_id", fmt.Sprint(after[reader]))
			after[reader] = a.Int("presence_last_update_id")
			for who, times := range modern(s, a) {
				state[reader][who] = times
			}
			fresh := s.As(reader).Do("POST /register", "fetch_event_types", `["presence"]`, "event_types", `["presence"]`,
				"slim_presence", "true").OK()
			same(t, fmt.Sprint("step ", step, ": ", reader), state[reader], modern(s, fresh))
			same(t, fmt.Sprint("step ", step, ": counter of ", reader), after[reader], fresh.Int("presence_last_update_id"))
		}
	})
}
