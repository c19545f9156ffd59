package access_test

import "strings"

func statusTable() table {
	post := []string{"status_text", "said {n}"}
	return table{"status", "Users' statuses.", []*row{
		{route: "POST /users/me/status", rule: "Users other than bots, for themselves.", who: humans, with: post},
		{route: "GET /users/:user_id/status", rule: "Users, for users whom they may see.", who: users, on: people(),
			may: cell.seesPerson},
		{route: "POST /users/:user_id/status", rule: "Administrators, for active users.", who: admins, on: people(),
			with: post,
			may:  func(x cell) bool { return !strings.HasPrefix(x.v.kind, "a bot") && x.v.kind != "deactivated" }},
	}}
}
