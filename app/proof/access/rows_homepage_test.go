package access_test

func homepageTable() table {
	return table{"homepage", "The page at the root.", []*row{
		{route: "GET mount /", rule: "Everyone.", who: anyone},
		{route: "GET mount /organizations", rule: "Everyone; the list comes from a cookie.", who: anyone},
		{route: "GET /organizations", rule: "Users; the list comes from a cookie.", who: users},
	}}
}
