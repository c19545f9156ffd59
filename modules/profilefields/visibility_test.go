package profilefields_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// When a user becomes visible to two guests at once, a guest receives the user's profile even if the other one can no
// longer see the user at delivery.
func TestProfileOfUserHiddenFromAnotherGuest(t *testing.T) {
	for name, lose := range map[string]func(s *kittest.Server){
		"unsubscribed": func(s *kittest.Server) {
			s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["lounge"]`, "principals",
				fmt.Sprintf("[%d]", s.UserID("bob"))).OK()
		},
		"deactivated": func(s *kittest.Server) { s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK() },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "")
			town := add(s, 1, "Town")
			setValues(s, "mona", town, `"Rome"`).OK()
			s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("bob")), "role", "600").OK()
			restrict(s)
			lounge := func(who string) {
				s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"lounge"}]`, "principals",
					fmt.Sprintf("[%d]", s.UserID(who))).OK()
			}
			lounge("guest")
			lounge("bob")
			type received struct {
				Events []struct {
					Op     string
					Person struct {
						UserID  int64          `json:"user_id"`
						Profile map[string]any `json:"profile_data"`
					}
				}
			}
			poll := func(q *kittest.Queue) string {
				var res received
				var all string
				q.Poll().OK().JSON(&res)
				for _, e := range res.Events {
					if e.Person.UserID == int64(s.UserID("mona")) {
						all += e.Op + text(e.Person.Profile) + " "
					}
				}
				return all
			}
			know := []string{"event_types", `["realm_user"]`, "client_capabilities", `{"user_list_incomplete":true}`}
			guest, bob := s.As("guest").Register(know...), s.As("bob").Register(know...)
			lounge("mona")
			lose(s)
			if got, want := poll(guest), fmt.Sprintf(`add{"%d":{"rendered_value":"<p>Rome</p>","value":"Rome"}} `,
				town); got != want {
				t.Errorf("guest: %s, want %s", got, want)
			}
			if got := profile(s, "guest", "mona"); got != fmt.Sprintf(
				`{"%d":{"rendered_value":"\u003cp\u003eRome\u003c/p\u003e","value":"Rome"}}`, town) {
				t.Errorf("by register: %s", got)
			}
			if name == "deactivated" {
				return
			}
			if got, want := poll(bob), "add{} removenull "; got != want {
				t.Errorf("bob: %s, want %s", got, want)
			}
		})
	}
}
