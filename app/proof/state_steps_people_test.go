package proof_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

func people(w *world) {
	switch w.rnd.IntN(6) {
	case 0:
		if len(w.extras) < 8 {
			w.made++
			a := w.do(one(w, []string{"olga", "adam"}), "POST /users", "email", fmt.Sprintf("extra%d@example.com", w.made), "full_name", fmt.Sprintf("Extra %d", w.made), "password", "long enough 1")
			if a.Status == 200 {
				w.extras, w.users = append(w.extras, a.Int("user_id")), append(w.users, a.Int("user_id"))
			}
		}
	case 1:
		if len(w.extras) > 0 {
			w.do(w.boss(), fmt.Sprintf("DELETE /users/%d", one(w, w.extras)))
		}
	case 2:
		if len(w.extras) > 0 {
			w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", one(w, w.extras)))
		}
	case 3:
		w.do(w.boss(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "full_name", w.name("Name"))
	case 4:
		w.do(one(w, w.names), "PATCH /settings", "email_address_visibility", fmt.Sprint(1+w.rnd.IntN(5)))
	case 5:
		if len(w.extras) > 0 {
			w.made++
			w.do("olga", fmt.Sprintf("PATCH /users/%d", one(w, w.extras)), "new_email", fmt.Sprintf("moved%d@example.com", w.made))
		}
	}
}

func roles(w *world) {
	w.do(w.boss(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "role", fmt.Sprint(one(w, []int{100, 200, 300, 400, 400, 600, 600})))
	w.do("olga", fmt.Sprintf("PATCH /users/%d", w.s.UserID("adam")), "role", "200")
}

func groups(w *world) {
	if len(w.groups) < 4 || w.rnd.IntN(6) == 0 {
		a := w.do(w.boss(), "POST /user_groups/create", "name", w.name("group"), "description", "d", "members", w.some(w.users), "can_manage_group", w.value())
		if a.Status == 200 {
			w.groups = append(w.groups, a.Int("group_id"))
		}
		return
	}
	g := one(w, w.groups)
	switch w.rnd.IntN(4) {
	case 0:
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/deactivate", g))
	case 1:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), "deactivated", "false", "description", w.name("d"))
	case 2:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), "name", w.name("renamed"))
	case 3:
		w.do(w.boss(), fmt.Sprintf("PATCH /user_groups/%d", g), one(w, []string{"can_join_group", "can_mention_group", "can_leave_group", "can_add_members_group"}), w.update())
	}
}

func members(w *world) {
	if len(w.groups) > 0 {
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/members", one(w, w.groups)), one(w, []string{"add", "delete"}), w.some(w.users)[:2]+"]")
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/members", one(w, w.groups)), one(w, []string{"add", "delete"}), fmt.Sprintf("[%d]", one(w, w.users)))
	}
}

func subgroups(w *world) {
	if len(w.groups) > 0 {
		w.do(w.boss(), fmt.Sprintf("POST /user_groups/%d/subgroups", one(w, w.groups)), one(w, []string{"add", "delete"}), fmt.Sprintf("[%d]", one(w, append([]int64{4, 5}, w.groups...))))
	}
}

// leaving deactivates somebody, with something of what is theirs, or takes them back.
func leaving(w *world) {
	id := one(w, append([]int64{int64(w.s.UserID("bot"))}, w.extras...))
	if w.rnd.IntN(3) == 0 {
		w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", id))
		return
	}
	actions := map[string]bool{}
	for _, name := range []string{"delete_profile", "delete_public_channel_messages", "delete_private_channel_messages", "delete_direct_messages"} {
		actions[name] = w.rnd.IntN(2) == 0
	}
	w.do(w.boss(), fmt.Sprintf("DELETE /users/%d", id), "actions", kittest.JSON(actions), "deactivation_notification_comment", "bye")
	w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", id))
}
