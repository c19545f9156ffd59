package presence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// Reports are stored, or dropped if they arrive too soon. A client that polls with its last counter receives each
// change once.
func TestReports(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		report(s, "alice", "active").Is(200,
			fmt.Sprintf(`{"result":"success","msg":"","server_timestamp":%d,"presence_last_update_id":1,
			"presences":{"alice@example.com":{"aggregated":{"client":"website","status":"active","timestamp":%[1]d},
			"website":{"client":"website","status":"active","timestamp":%[1]d,"pushable":false}}}}`, kittest.Epoch().Unix()))
		got, last := look(s, "bob", -1)
		// Bob was never active, so his join date is used.
		same(t, "both are new", got, seen{"alice": {0, 0}, "bob": {0, 0}})
		same(t, "counter", last, 2)
		for _, step := range []struct {
			at          int
			who, status string
			want        seen
			counter     int64
		}{
			{54, "alice", "active", seen{}, 2},
			{54, "alice", "idle", seen{}, 2},
			{56, "alice", "idle", seen{"alice": {0, 56}, "bob": {0, 56}}, 4},
			{60, "alice", "active", seen{"alice": {60, 60}}, 5},
			{114, "alice", "active", seen{"bob": {0, 114}}, 6},
			{115, "alice", "active", seen{"alice": {115, 115}}, 7},
			{171, "bob", "active", seen{"bob": {171, 171}}, 8},
			{500, "olga", "active", seen{"olga": {500, 500}, "bob": {171, 500}}, 10},
			{500, "olga", "active", seen{}, 10},
		} {
			at(s, step.at)
			ping(s, step.who, step.status)
			got, last = look(s, "bob", last)
			same(t, fmt.Sprint("after ", step.who, " at ", step.at), got, step.want)
			same(t, fmt.Sprint("counter after ", step.who, " at ", step.at), last, step.counter)
		}
		s.Restart()
		got, last = look(s, "bob", 0)
		same(t, "all", got, seen{"alice": {115, 115}, "bob": {171, 500}, "olga": {500, 500}})
		same(t, "counter", last, 10)
		s.Clock.Advance(11 * time.Minute)
		s.RunJob("presence.forget_presences") // drops what the node has cached
		at(s, 500)
		got, last = look(s, "bob", 6)
		same(t, "later ones", got, seen{"alice": {115, 115}, "bob": {171, 500}, "olga": {500, 500}})
		same(t, "counter", last, 10)
		got, last = look(s, "bob", 99)
		same(t, "none", got, seen{})
		same(t, "the given counter", last, 99)
		if a := report(s, "bob", "idle", "slim_presence", "true"); len(modern(s, a)) != 3 ||
			a.Int("presence_last_update_id") != 10 {
			t.Errorf("%s", a.Body)
		}
		report(s, "bob", "idle", "new_user_input", "true", "client", "website", "ping_only", "false", "other", "1").
			Is(200, `{"result":"success","msg":"","server_timestamp":"*","presence_last_update_id":10,"presences":"*",`+
				`"ignored_parameters_unsupported":["other"]}`)
	})
}

// The list covers users who were connected in the last 14 days, or in the requested number of days.
func TestHistory(t *testing.T) {
	s := start(t, "")
	const day = 24 * time.Hour
	for _, who := range []string{"alice", "bob", "olga"} {
		ping(s, who, "active")
		s.Clock.Advance(10 * day)
	}
	for params, want := range map[string]string{
		"":                  "[alice:false bob:false olga:true]",
		"14":                "[alice:false bob:false olga:true]",
		"20":                "[alice:false bob:true olga:true]",
		"30":                "[alice:true bob:true olga:true]",
		"100000000000":      "[alice:true bob:true olga:true]",
		"0":                 "[alice:false bob:false olga:false]",
		"1 last_update_id":  "[alice:false bob:true olga:true]",
		"1 last_update_id-": "[alice:false bob:false olga:false]",
	} {
		var p []string
		switch params {
		case "":
		case "1 last_update_id":
			p = []string{"history_limit_days", "1", "last_update_id", "1"}
		case "1 last_update_id-":
			p = []string{"history_limit_days", "1", "last_update_id", "-1"}
		default:
			p = []string{"history_limit_days", params}
		}
		got := modern(s, report(s, "mona", "idle", append(p, "slim_presence", "true")...))
		var all []string
		for _, who := range []string{"alice", "bob", "olga"} {
			_, ok := got[who]
			all = append(all, fmt.Sprint(who, ":", ok))
		}
		same(t, "with "+params, all, want)
	}
}

func TestRefusals(t *testing.T) {
	s := start(t, "")
	s.As("alice").Do(path).Error(400, "REQUEST_VARIABLE_MISSING", "status")
	s.As("alice").Do(path, "status", "offline").Error(400, "BAD_REQUEST", "Invalid status: offline")
	s.As("alice").Do(path, "status", "active", "history_limit_days", "-1").Error(400, "BAD_REQUEST",
		"history_limit_days is too small")
	s.As("alice").Do(path, "status", "active", "last_update_id", "x").Error(400, "BAD_REQUEST", "last_update_id")
	s.As("alice").Do(path, "status", "active", "ping_only", "perhaps").Error(400, "BAD_REQUEST", "ping_only")
	s.As("bot").Do(path, "status", "active").Error(400, "BAD_REQUEST", "This endpoint does not accept bot requests.")
	s.Anonymous().Do(path, "status", "active").Error(401, "UNAUTHORIZED", "")
	s.Anonymous().Do("GET /realm/presence").Error(401, "UNAUTHORIZED", "")
	s.NoEvents()
	if got, _ := look(s, "bob", 0); len(got) != 1 {
		t.Errorf("a refused report was stored: %v", got)
	}
}

func TestGet(t *testing.T) {
	s := start(t, "")
	id := s.UserID("alice")
	ping(s, "alice", "active")
	at(s, 71)
	ping(s, "alice", "idle")
	get := func(who, whom string) *kittest.Response {
		t.Helper()
		return s.As(who).Do("GET /users/" + whom + "/presence")
	}
	want := func(now, active, idle int, status, aggregated string) {
		t.Helper()
		at(s, now)
		stamp := func(n int) int64 { return kittest.Epoch().Unix() + int64(n) }
		when := active
		if status == "idle" {
			when = idle
		}
		body := fmt.Sprintf(`{"result":"success","msg":"","server_timestamp":%d,"presence":{"active_timestamp":%d,"idle_timestamp":%d,
			"website":{"status":%q,"timestamp":%d},"aggregated":{"status":%q,"timestamp":%[5]d}}}`,
			stamp(now), stamp(active), stamp(idle), status, stamp(when), aggregated)
		get("bot", fmt.Sprint(id)).Is(200, body)
		get("guest", "alice@example.com").Is(200, body)
	}
	want(71, 0, 71, "idle", "idle")
	want(271, 0, 71, "idle", "idle")
	want(272, 0, 71, "idle", "offline")
	ping(s, "alice", "active")
	want(272, 272, 272, "active", "active")
	want(473, 272, 272, "active", "offline")
	get("alice", "bob@example.com").Error(400, "BAD_REQUEST", "No presence data for bob@example.com")
	get("alice", fmt.Sprint(s.UserID("bot"))).Error(400, "BAD_REQUEST", "Presence is not supported for bot users.")
	for _, nobody := range []string{"me", "0", "-1", "999", "nobody@example.com", "99999999999999999999"} {
		get("alice", nobody).Error(400, "BAD_REQUEST", "No such user")
	}
}

// The legacy format, keyed by email address.
func TestLegacyList(t *testing.T) {
	s := start(t, "")
	ping(s, "alice", "active")
	ping(s, "bob", "active")
	at(s, 70)
	ping(s, "alice", "idle")
	at(s, 71)
	ping(s, "bob", "idle")
	ping(s, "mona", "idle")
	entry := func(who, status string, seconds int) string {
		return fmt.Sprintf(`"%s@example.com":{"aggregated":{"client":"website","status":%q,"timestamp":%d},
			"website":{"client":"website","status":%[2]q,"timestamp":%[3]d,"pushable":false}}`, who, status,
			kittest.Epoch().Unix()+int64(seconds))
	}
	presences := "{" + entry("alice", "active", 0) + "," + entry("bob", "idle", 71) + "," + entry("mona", "idle", 71) + "}"
	s.As("bot").Do("GET /realm/presence").
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","server_timestamp":%d,"presences":%s}`, kittest.Epoch().Unix()+71,
			presences))
	report(s, "alice", "idle").Is(200, `{"result":"success","msg":"","server_timestamp":"*","presence_last_update_id":5,`+
		`"presences":`+presences+`}`)
	s.Clock.Advance(15 * 24 * time.Hour)
	s.As("bot").Do("GET /realm/presence").Is(200, `{"result":"success","msg":"","server_timestamp":"*","presences":{}}`)
}
