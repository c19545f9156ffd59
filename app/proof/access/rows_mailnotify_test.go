package access_test

func mailnotifyTable() table {
	return table{"mailnotify", "The page to unsubscribe from emails.", []*row{
		{route: "GET mount /accounts/unsubscribe", name: "without a key", rule: "No one.", who: always("404")},
	}}
}
