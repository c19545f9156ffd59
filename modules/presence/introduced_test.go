package presence_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Users who gain access to other users receive the presence of those users, even in a large realm and in each client's
// format, but not that of users that they can no longer see.
func TestGuestsGainAccessToUsers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, crowd(100))
		set := func(group int) {
			s.As("olga").Do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%d}`, group)).OK()
		}
		general := func(method, who string) {
			s.As("olga").Do(method+" /users/me/subscriptions", "subscriptions",
				`[`+map[string]string{"POST": `{"name":"general"}`, "DELETE": `"general"`}[method]+`]`,
				"principals", fmt.Sprintf("[%d]", s.UserID(who))).OK()
		}
		set(6)
		at(s, -20*24*3600)
		ping(s, "olga", "active") // before the period that lists cover
		at(s, 0)
		ping(s, "mona", "active")
		at(s, 300)
		ping(s, "adam", "idle")
		ping(s, "alice", "active") // visible to the guest
		_, last := look(s, "guest", -1)
		plain, simple, other := listen(s, "guest"),
			listen(s, "guest", "client_capabilities", `{"simplified_presence_events":true}`), listen(s, "bob")
		at(s, 310)
		s.Skip()
		mona, adam := s.UserID("mona"), s.UserID("adam")
		general("POST", "mona")
		s.EventsOf("presence", fmt.Sprintf(`presence users:guest {"met":[%d],"active_timestamp":0,"idle_timestamp":0,`+
			`"server_timestamp":"*"}`, mona))
		older := func(who, status string, id int, when, now int64) string {
			return fmt.Sprintf(`{"email":"%s@example.com","presence":{"website":{"client":"website","pushable":false,`+
				`"status":%q,"timestamp":%d}},"server_timestamp":%d,"type":"presence","user_id":%d}`,
				who, status, kittest.Epoch().Unix()+when, kittest.Epoch().Unix()+now, id)
		}
		same(t, "mona, in the older form", plain.next(), "["+older("mona", "active", int(mona), 0, 310)+"]")
		same(t, "mona", simple.next(), fmt.Sprintf(`[{"presences":{"%d":{"active_timestamp":%d,"idle_timestamp":%d}},`+
			`"type":"presence"}]`, mona, kittest.Epoch().Unix(), kittest.Epoch().Unix()))
		got, _ := look(s, "guest", last)
		if _, again := got["mona"]; again {
			t.Errorf("lists contain mona already: %v", got) // in that case no event would be needed
		}

		// All users together: timestamps are loaded at delivery, and users who are no longer visible are omitted.
		set(7)
		same(t, "adam, in the older form", plain.next(), "["+older("adam", "idle", int(adam), 300, 310)+"]")
		set(6)
		general("DELETE", "mona")
		set(7)
		at(s, 600)
		ping(s, "adam", "active")
		set(6)
		simple.next()
		same(t, "nobody", plain.next(), "[]")
		set(7)
		set(6)
		general("POST", "mona")
		events := plain.next() // one per change, each with the state at delivery
		if len(events) == 0 || slices.ContainsFunc(events, func(e string) bool {
			return e != older("mona", "active", int(mona), 0, 600) && e != older("mona", "active", int(mona), 0, 310)
		}) {
			t.Errorf("mona alone: %s", events)
		}

		s.As("olga").Do("PATCH /realm", "presence_disabled", "true").OK()
		plain.next()
		s.Skip()
		general("DELETE", "mona")
		general("POST", "mona")
		s.EventsOf("presence")
		same(t, "not where presence is off", plain.next(), "[]")
		same(t, "users who see everyone receive nothing", other.next(), "[]")
	})
}
