package access_test

import "strings"

func confirmationsTable() table {
	none := func(cell) bool { return false }
	return table{"confirmations", "Addresses that are to be proven, and forgotten passwords, where no mails are sent. " +
		"With mails: modules/confirmations.", []*row{
		{route: "PATCH /settings", name: "another address",
			rule: "People, for themselves, where mails are sent; here nobody.", who: humans, may: none,
			with: []string{"email", "made{n}@proof.example.com"}},
		{route: "PATCH /settings", name: "an address that somebody has", rule: "Nobody.", who: humans, may: none,
			with: []string{"email", "{kiramail}"}},
		{route: "POST /users/:user_id/password_reset_link", rule: "Owners, for people who are active.", who: owners,
			on:  people(),
			may: func(x cell) bool { return !strings.HasPrefix(x.v.kind, "a bot") && x.v.kind != "deactivated" }},
		{route: "GET mount /accounts/confirm_new_email", name: "without a key", rule: "Nobody.", who: always("404")},
		{route: "GET mount /accounts/password/reset", rule: "Everybody, where mails are sent; here nobody.",
			who: always("400")},
	}}
}
