package access_test

func homepageTable() table {
	return table{"homepage", "The page at the root.", []*row{
		{route: "GET mount /", rule: "Everybody.", who: anyone},
		{route: "GET mount /organizations", rule: "Everybody; a cookie says which there are.", who: anyone},
		{route: "GET /organizations", rule: "People; a cookie says which there are.", who: humans},
	}}
}
