package access_test

func homepageTable() table {
	return table{"homepage", "The page at the root.", []*row{
		{route: "GET mount /", rule: "Everybody.", who: anyone},
	}}
}
