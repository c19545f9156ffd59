package access_test

func notificationsTable() table {
	const path = "/users/me/do_not_disturb"
	return table{"notifications", "When users' notifications are silenced.", []*row{
		{route: "GET " + path, rule: "Users other than bots, for themselves.", who: humans},
		{route: "PATCH " + path, rule: "Users other than bots, for themselves.", who: humans,
			with: []string{"schedule", `{"days":[1],"from":"09:00","to":"18:00"}`}},
	}}
}
