package access_test

func confirmationsTable() table {
	none := func(cell) bool { return false }
	return table{"confirmations", "Addresses that are to be proven, and forgotten passwords (users-and-groups.md §9), where no mails are sent. With mails: modules/confirmations.", []*row{
		{route: "PATCH /settings", name: "another address", rule: "People, for themselves, where mails are sent; here nobody.", who: humans, may: none, with: []string{"email", "made{n}@proof.example.com"}},
		{route: "PATCH /settings", name: "an address that somebody has", rule: "Nobody.", who: humans, may: none, with: []string{"email", "{kiramail}"}},
		{route: "GET mount /accounts/confirm_new_email", name: "without a key", rule: "Nobody.", who: always("404")},
		{route: "GET mount /accounts/password/reset", rule: "Everybody, where mails are sent; here nobody.", who: always("400")},
	}}
}
