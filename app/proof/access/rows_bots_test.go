package access_test

import (
	"fmt"

	"github.com/stoachat/stoa/domain/user"
)

// robots returns bots and one user. Everyone can access bots and their owners.
func robots() *family {
	return &family{
		name: "robot", missing: map[string]string{"bot_id": "987654321"},
		variants: []variant{{kind: "of the bot owner"}, {kind: "of olga"}, {kind: "of olga, an owner"},
			{kind: "of the bot owner, an owner"}, {kind: "deactivated, of the bot owner"}, {kind: "a person"}},
		make: func(w *fixture, v variant, _ []*caller) object {
			w.t.Helper()
			if v.kind == "a person" {
				return object{map[string]string{"bot_id": w.fields["bob"]}}
			}
			name := w.fresh()
			id := w.do("POST /bots", "full_name", name, "short_name", name).Int("user_id")
			path := fmt.Sprintf("/bots/%d", id)
			if v.kind == "of olga, an owner" || v.kind == "of the bot owner, an owner" {
				w.do("PATCH "+path, "role", "100")
			}
			if v.kind != "of olga" && v.kind != "of olga, an owner" {
				w.do("PATCH "+path, "bot_owner_id", fmt.Sprint(w.called("bot owner").id))
			}
			if v.kind == "deactivated, of the bot owner" {
				w.do("DELETE " + path)
			}
			return object{map[string]string{"bot_id": fmt.Sprint(id)}}
		},
	}
}

// persons admits members who are not bots.
func persons(c *caller) string {
	if no := members(c); no != "" {
		return no
	}
	return humans(c)
}

func robotsOnly(c *caller) string {
	if no := users(c); no != "" || c.bot != user.Human {
		return no
	}
	return "400 PERMISSION_DENIED"
}

func botsTable() table {
	b := robots()
	keeps := func(x cell) bool {
		switch x.v.kind {
		case "of the bot owner", "deactivated, of the bot owner":
			return x.c.admin() || x.c.name == "bot owner"
		case "of the bot owner, an owner": // the key would give an administrator an owner's permissions
			return x.c.role == user.Owner || x.c.name == "bot owner"
		case "of olga":
			return x.c.admin()
		case "of olga, an owner":
			return x.c.role == user.Owner
		}
		return false
	}
	active := func(x cell) bool { return keeps(x) && x.v.kind != "deactivated, of the bot owner" }
	admin := func(x cell) bool { return keeps(x) && x.c.admin() }
	const whose = "The bot's owner, and administrators; only owners for bots with the owner role that are not their " +
		"own."
	return table{"bots", "Bots, their keys and their storage.", []*row{
		{route: "GET /bots", rule: "Members, for themselves.", who: members},
		{route: "POST /bots", rule: "can_create_bots_group (members), not bots.", who: persons,
			with: []string{"full_name", "Robot {n}", "short_name", "robot{n}"}},
		{route: "POST /bots", name: "incoming webhook", rule: "Also can_create_write_only_bots_group (members).",
			who:  persons,
			with: []string{"full_name", "Robot {n}", "short_name", "robot{n}", "bot_type", "2"}},
		{route: "PATCH /bots/:bot_id", rule: whose, who: members, on: b, may: keeps,
			with: []string{"full_name", "Robot {n}"}},
		{route: "PATCH /bots/:bot_id", name: "role", rule: "Administrators.", who: members, on: b, may: admin, lasts: true,
			with: []string{"role", "300"}},
		{route: "PATCH /bots/:bot_id", name: "role of an owner", rule: "Owners.", who: members, on: b, lasts: true,
			with: []string{"role", "100"},
			may: func(x cell) bool {
				return keeps(x) && (x.c.role == user.Owner || x.v.kind == "of the bot owner, an owner")
			}},
		{route: "PATCH /bots/:bot_id", name: "owner", who: members, on: b, lasts: true,
			rule: whose + " Users who are not administrators cannot transfer a bot to a user with a lower role than the " +
				"bot's.",
			may: func(x cell) bool { // the member transfers the bot to a member
				return keeps(x) && (x.v.kind != "of the bot owner, an owner" || x.c.role == user.Owner)
			}, with: []string{"bot_owner_id", "{bob}"}},
		{route: "DELETE /bots/:bot_id", rule: whose, who: members, on: b, may: active, lasts: true},
		{route: "GET /bots/:bot_id/api_key", rule: whose, who: members, on: b, may: active},
		{route: "POST /bots/:bot_id/api_key/regenerate", rule: whose, who: members, on: b, may: active},
		{route: "GET /bot_storage", rule: "Bots, for their own storage; not incoming webhooks.", who: robotsOnly},
		{route: "PUT /bot_storage", rule: "Bots, for their own storage; not incoming webhooks.", who: robotsOnly,
			with: []string{"storage", `{"a":"{n}"}`}},
		{route: "DELETE /bot_storage", rule: "Bots, for their own storage; not incoming webhooks.", who: robotsOnly},
	}}
}
