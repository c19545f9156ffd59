package access_test

// twofactorTable describes the routes without a browser's session. Logins are tested in modules/twofactor.
func twofactorTable() table {
	const session = "No one: it needs a browser's session."
	self := func(c *caller) string {
		if refused := admins(c); refused != "" {
			return refused
		}
		return "400 BAD_REQUEST"
	}
	return table{"twofactor", "Second factors of logins. The page is described in modules/twofactor.", []*row{
		{route: "GET /stoa/second_factor", rule: "Users other than bots, for themselves.", who: humans},
		{route: "POST /stoa/second_factor/app", name: "with an API key", rule: session, who: withSession},
		{route: "POST /stoa/second_factor/app/confirm", name: "with an API key", rule: session, who: withSession,
			with: []string{"code", "123456"}},
		{route: "DELETE /stoa/second_factor/app", name: "with an API key", rule: session, who: withSession},
		{route: "POST /stoa/second_factor/recovery_codes", name: "with an API key", rule: session, who: withSession},
		{route: "POST /stoa/second_factor/passkeys/begin", name: "with an API key", rule: session, who: withSession},
		{route: "POST /stoa/second_factor/passkeys", name: "with an API key", rule: session, who: withSession,
			with: []string{"step", "x", "name", "x", "credential", "x"}},
		{route: "DELETE /stoa/second_factor/passkeys/:passkey_id", name: "with an API key", rule: session, who: withSession,
			call: "DELETE /stoa/second_factor/passkeys/1"},
		{route: "DELETE /stoa/second_factor/users/:user_id", name: "of a user who does not exist",
			rule: "Administrators, for others; only owners for owners.", who: self,
			call: "DELETE /stoa/second_factor/users/987654321"},
		{route: "GET mount /accounts/second-factor", name: "without a login in progress", rule: "No one.",
			who: always("400")},
		{route: "GET mount /accounts/login/passkey", name: "another page", rule: "No one.", who: always("404"),
			call: "GET mount /accounts/login/passkey/other"},
	}}
}
