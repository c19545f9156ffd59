package access_test

// pushrelayTable is of a module whose callers are servers, with keys that no account has.
func pushrelayTable() table {
	const rule = "Servers that may use the relay, by their own keys."
	nobody := always("401 UNAUTHORIZED")
	return table{"pushrelay", "The push relay, for other servers.", []*row{
		{
			route: "GET mount /api/v1/remotes/push/e2ee/register", rule: rule, who: nobody,
			call: "POST mount /api/v1/remotes/push/e2ee/register",
		},
		{
			route: "GET mount /api/v1/remotes/push/e2ee/notify", rule: rule, who: nobody,
			call: "POST mount /api/v1/remotes/push/e2ee/notify",
		},
	}}
}
