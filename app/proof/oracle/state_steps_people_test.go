package oracle_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

const password = "long enough 1"

// people creates, changes, deactivates and reactivates users.
func people(w *simulation) {
	if len(w.extras) == 0 || len(w.extras) < 8 && w.rnd.IntN(6) == 0 {
		w.made++
		a := w.do(one(w, []string{"olga", "adam"}), "POST /users", "email", fmt.Sprintf("extra%d@example.com", w.made),
			"full_name", fmt.Sprintf("Extra %d", w.made), "password", password)
		if a.Status == 200 {
			w.extras, w.users = append(w.extras, a.Int("user_id")), append(w.users, a.Int("user_id"))
		}
		return
	}
	extra := one(w, w.extras)
	switch w.rnd.IntN(6) {
	case 0:
		w.do(w.manager(), fmt.Sprintf("DELETE /users/%d", extra))
	case 1:
		w.do(w.manager(), fmt.Sprintf("POST /users/%d/reactivate", extra))
	case 2:
		w.do(w.manager(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "full_name", w.name("Name"))
	case 3:
		w.do(one(w, w.names), "PATCH /settings", "email_address_visibility", fmt.Sprint(1+w.rnd.IntN(5)))
	case 4:
		w.made++
		w.do("olga", fmt.Sprintf("PATCH /users/%d", extra), "new_email", fmt.Sprintf("moved%d@example.com", w.made))
	case 5:
		w.ownAccount(extra)
	}
}

// ownAccount renews the API key of a user created by a step, and sometimes deactivates the user.
func (w *simulation) ownAccount(id int64) {
	a := w.as("olga").Do(fmt.Sprintf("GET /users/%d", id))
	if a.Status != 200 { // olga is a guest now and cannot see the user
		return
	}
	email, _ := a.Get("user.delivery_email").(string)
	in := w.s.Anonymous().Do("POST /fetch_api_key", "username", email, "password", password)
	if in.Status != 200 {
		return
	}
	made := w.s.WithKey(email, in.String("api_key"))
	call := one(w, []string{"POST /users/me/api_key/regenerate", "DELETE /users/me", "POST /mark_all_as_read"})
	w.note(email, call, nil, made.Do(call))
}

func roles(w *simulation) {
	w.do(w.manager(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "role",
		fmt.Sprint(one(w, []int{100, 200, 300, 400, 400, 600, 600})))
	w.do("olga", fmt.Sprintf("PATCH /users/%d", w.s.UserID("adam")), "role", "200")
}

// activation deactivates a user, sometimes deleting their data, or reactivates one.
func activation(w *simulation) {
	id := one(w, append([]int64{int64(w.s.UserID("bot"))}, w.extras...))
	if w.rnd.IntN(3) == 0 {
		w.do(w.manager(), fmt.Sprintf("POST /users/%d/reactivate", id))
		return
	}
	actions := map[string]bool{}
	for _, name := range []string{"delete_profile", "delete_public_channel_messages", "delete_private_channel_messages",
		"delete_direct_messages"} {
		actions[name] = w.rnd.IntN(2) == 0
	}
	w.do(w.manager(), fmt.Sprintf("DELETE /users/%d", id), "actions", kittest.JSON(actions),
		"deactivation_notification_comment", "bye")
	w.do(w.manager(), fmt.Sprintf("POST /users/%d/reactivate", id))
}
