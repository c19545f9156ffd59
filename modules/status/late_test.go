package status_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Users receive the statuses of newly visible users as of delivery: the log contains only their IDs, and users who are
// no longer visible are skipped.
func TestStatusIsReadAtDelivery(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for _, who := range []string{"bob", "alice"} {
			s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID(who)), "role", "600").OK()
		}
		// Now alice can see no other users.
		s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
		restrict := func(group int) {
			s.As("olga").Do("PATCH /realm", "can_access_all_users_group", fmt.Sprintf(`{"new":%d}`, group)).OK()
		}
		restrict(6)
		s.As("mona").Do("POST /users/me/status", "status_text", "a long story", "emoji_name", "smile").OK()
		s.As("adam").Do("POST /users/me/status", "status_text", "another story").OK()
		queues := map[string]*kittest.Queue{}
		for _, who := range []string{"guest", "bob", "alice"} {
			queues[who] = s.As(who).Register("event_types", `["user_status"]`)
		}
		s.Skip()
		restrict(7)
		entries := 0
		for _, e := range s.Log() {
			if strings.Contains(string(e.Payload), "story") {
				t.Errorf("the log contains statuses: %s", e.Payload)
			}
			if e.Type == "user_status" {
				entries++
			}
		}
		if entries != 2 { // one for the two users who gain access to the same users, one for alice
			t.Errorf("%d entries about statuses", entries)
		}
		s.As("mona").Do("POST /users/me/status", "emoji_name", "").OK()
		statusEvent := func(who, fields string) string {
			return fmt.Sprintf(`{%s,"type":"user_status","user_id":%d}`, fields, s.UserID(who))
		}
		cleared := statusEvent("mona", `"emoji_code":"","emoji_name":"","reaction_type":""`)
		both := []string{
			statusEvent("adam", `"status_text":"another story"`), statusEvent("mona", `"status_text":"a long story"`),
		}
		if s.UserID("mona") < s.UserID("adam") {
			both[0], both[1] = both[1], both[0]
		}
		for _, who := range []string{"guest", "bob"} {
			queues[who].Is(append(both[:2:2], cleared)...)
		}
		restrict(6)
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("mona"))).OK()
		s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("mona"))).OK()
		queues["guest"].Is()
		queues["alice"].Is(cleared) // this event was logged while she could see mona; the earlier status is withheld
	})
}
