package access_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

func mutesTable() table {
	return table{"mutes", "Which users a user can mute.", muteRows()}
}

func muteRows() []*row {
	return []*row{
		{route: "POST /users/me/muted_users/:muted_user_id", rule: "Users who can see the user; not for themselves.",
			who: users, on: people(),
			lasts: true,
			may:   func(x cell) bool { return x.seesPerson() && x.v.kind != "self" }},
		{route: "DELETE /users/me/muted_users/:muted_user_id", rule: "Users who have muted the user.", who: users,
			on:   people(),
			may:  func(cell) bool { return false },
			sees: func(x cell) bool { return x.seesPerson() }},
		{route: "DELETE /users/me/muted_users/:muted_user_id", name: "muted before", rule: "Users who have muted the " +
			"user.",
			who: users, on: people(), may: func(x cell) bool { return x.seesPerson() && x.v.kind != "self" },
			lasts: true, do: func(w *fixture, x cell) *kittest.Response {
				path := fmt.Sprintf(" /users/me/muted_users/%s", x.o.fields["id"])
				w.ask(x.c, "POST"+path)
				return w.ask(x.c, "DELETE"+path)
			}, sees: func(x cell) bool { return true }},
	}
}
