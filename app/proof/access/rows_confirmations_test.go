package access_test

import "strings"

func confirmationsTable() table {
	none := func(cell) bool { return false }
	return table{"confirmations", "Address confirmations and password resets on a server that sends no email. The " +
		"case with email is tested in modules/confirmations.", []*row{
		{route: "PATCH /settings", name: "another address",
			rule: "Users other than bots, for themselves, if the server sends email; here no one.", who: humans, may: none,
			with: []string{"email", "made{n}@proof.example.com"}},
		{route: "PATCH /settings", name: "a taken address", rule: "No one.", who: humans, may: none,
			with: []string{"email", "{olgamail}"}},
		{route: "POST /users/:user_id/password_reset_link", rule: "Owners, for active users.", who: owners,
			on:  people(),
			may: func(x cell) bool { return !strings.HasPrefix(x.v.kind, "a bot") && x.v.kind != "deactivated" }},
		{route: "GET mount /accounts/confirm_new_email", name: "without a key", rule: "No one.", who: always("404")},
		{route: "GET mount /accounts/password/reset", rule: "Everyone, if the server sends email; here no one.",
			who: always("400")},
	}}
}
