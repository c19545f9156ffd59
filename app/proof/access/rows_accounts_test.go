package access_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

func accountsTable() table {
	return table{"accounts", "Who can see, create, change and deactivate accounts.",
		slices.Concat(loginRows(), personRows(), ownRows())}
}

func loginRows() []*row {
	key := func(c *caller) string {
		if no := humans(c); no != "" {
			return no
		}
		return "401 UNAUTHORIZED"
	}
	return []*row{
		{route: "GET /server_settings", rule: "Everyone.", who: anyone},
		nowhere("GET /server_settings"),
		{route: "GET /compatibility", rule: "Everyone.", who: anyone},
		nowhere("GET /compatibility"),
		{route: "POST /stoa/password/strength", rule: "Everyone.", who: anyone,
			with: []string{"password", "correct horse battery"}},
		{route: "POST /fetch_api_key", rule: "Everyone who knows the password, on the account's host.",
			who:  elsewhere("401 AUTHENTICATION_FAILED", anyone),
			with: []string{"username", "{olgamail}", "password", "{password}"}},
		{route: "POST /fetch_api_key", name: "wrong password", rule: "No one.", who: always("401 AUTHENTICATION_FAILED"),
			with: []string{"username", "{olgamail}", "password", "not {password}"}},
		{route: "POST /fetch_api_key", name: "a deactivated account", rule: "No one.",
			who:  elsewhere("401 AUTHENTICATION_FAILED", always("401 USER_DEACTIVATED")),
			with: []string{"username", "{gonemail}", "password", "{password}"}},
		{route: "POST /json/fetch_api_key", name: "with a key", rule: "No one: only logged-in browsers.", who: key,
			call: "POST mount /json/fetch_api_key", with: []string{"password", kittest.Password}},
		{route: "POST /users/me/api_key/regenerate", rule: "All users.", who: users,
			do: func(w *fixture, x cell) *kittest.Response {
				a := w.ask(x.c, "POST /users/me/api_key/regenerate")
				if a.Status == 200 {
					x.c.at = w.s.WithKey(x.c.mail, a.String("api_key"))
				}
				return a
			}},
	}
}

func always(what string) admission { return func(*caller) string { return what } }

func personRows() []*row {
	p := people()
	administers := func(x cell) bool {
		return x.c.admin() || x.c.name == "bot owner" && x.v.kind == "a bot of the bot owner"
	}
	owner := func(x cell) bool { return x.c.role == 100 }
	deletes := func(x cell) bool { return x.c.admin() && (x.v.kind != "owner" || owner(x)) }
	ends := func(x cell) bool {
		return administers(x) && x.v.kind != "deactivated" && (x.v.kind != "owner" || owner(x)) &&
			(x.v.kind != "self" || owner(x) || x.c.admin())
	}
	return []*row{
		{route: "GET /users", rule: "Users, with the users whom they may see, and spectators.", who: spectators, on: p,
			may:   cell.seesPerson,
			found: listedIn("members", "user_id")},
		{route: "GET /users", name: "some", rule: "As for the full list; users whom the caller may not see are omitted.",
			who: spectators, on: p,
			may: cell.seesPerson, found: listedIn("members", "user_id"),
			with: []string{"user_ids", "[{id}]"}},
		{route: "GET /users/me", rule: "Users.", who: users},
		{route: "GET /users/:user_id", rule: "Users, for users whom they may see.", who: users, on: p, may: cell.seesPerson},
		{route: "GET /users/:user_id", name: "by address", rule: "Users, for users whom they may see.", who: users, on: p,
			may: cell.seesPerson, call: "GET /users/:mail"},
		{route: "POST /users", rule: "Administrators.", who: admins,
			with: []string{"email", "made{n}@proof.example.com", "full_name", "Made", "password", "{password}"}},
		{route: "PATCH /users/:user_id", name: "name", rule: "Administrators, and the owner of a bot.", who: users, on: p,
			may: administers, with: []string{"full_name", "Named {n}"}},
		{
			route: "PATCH /users/:user_id", name: "by address", rule: "Administrators, and the owner of a bot.", who: users,
			on:  p,
			may: administers, call: "PATCH /users/:mail", with: []string{"full_name", "Renamed {n}"},
		},
		{route: "PATCH /users/:user_id", name: "to moderator", rule: "Administrators; only owners can demote an owner.",
			who: users, on: p, lasts: true, with: []string{"role", "300"},
			may: func(x cell) bool { return x.c.admin() && (x.v.kind != "owner" || owner(x)) },
			after: func(w *fixture, x cell) {
				if x.v.kind == "self" {
					w.do("PATCH /users/"+x.o.fields["id"], "role", fmt.Sprint(int(x.c.role)))
				}
			}},
		{route: "PATCH /users/:user_id", name: "to owner", rule: "Owners; no change if the user is an owner already.",
			who: users, on: p,
			lasts: true, with: []string{"role", "100"},
			may: func(x cell) bool { return owner(x) || x.c.admin() && x.v.kind == "owner" }},
		{route: "PATCH /users/:user_id", name: "to guest", rule: "Administrators; only owners can demote an owner.",
			who: users, on: p, lasts: true, with: []string{"role", "600"},
			may: func(x cell) bool { return x.c.admin() && (x.v.kind != "owner" || owner(x)) },
			after: func(w *fixture, x cell) {
				if x.v.kind == "self" {
					w.do("PATCH /users/"+x.o.fields["id"], "role", fmt.Sprint(int(x.c.role)))
				}
			}},
		{route: "DELETE /users/:user_id", rule: "Administrators, and the owner of a bot; only owners can deactivate an " +
			"owner. Refused if already deactivated.", who: users, on: p, lasts: true, may: ends,
			after: func(w *fixture, x cell) {
				if x.v.kind == "self" {
					w.do("POST /users/" + x.o.fields["id"] + "/reactivate")
					w.logIn(x.c)
				}
			}},
		{route: "DELETE /users/:user_id", name: "and what they have sent",
			rule: "Administrators; only owners can deactivate an owner. Data of deactivated users can be deleted too.",
			who:  users, on: p, lasts: true, may: deletes, with: []string{"actions", `{"delete_direct_messages":true}`},
			after: func(w *fixture, x cell) {
				if x.v.kind == "self" {
					w.do("POST /users/" + x.o.fields["id"] + "/reactivate")
					w.logIn(x.c)
				}
			}},
		{route: "POST /users/:user_id/reactivate", rule: "Administrators, and the owner of a bot.", who: users, on: p,
			lasts: true, may: administers},
	}
}

// newKey creates an API key of a caller, and returns its ID.
func (w *fixture) newKey(of *caller) string {
	w.t.Helper()
	issued, err := w.s.Ports.Accounts.IssueKey(w.t.Context(), user.Actor{Realm: w.s.Realm}, of.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(issued)))[:12]
}

func ownRows() []*row {
	olgas := func(x cell) bool { return x.c == x.w.olga }
	key := &family{name: "API key", missing: map[string]string{"key_id": "0123456789ab"}, sees: olgas,
		variants: []variant{{kind: "API key", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := w.newKey(w.olga)
			return object{map[string]string{"key_id": id, "id": id}}
		}}
	rows := []*row{
		{route: "GET /stoa/api_keys", rule: "Users other than bots, for themselves.", who: humans, on: key, may: olgas,
			found: listedIn("api_keys", "key_id")},
		{route: "DELETE /stoa/api_keys/:key_id", rule: "The owner of the key.", who: humans, on: key, may: olgas,
			lasts: true},
		{route: "DELETE /users/me", rule: "Users other than bots; not the last owner.",
			who: elsewhere("400 CANNOT_DEACTIVATE_LAST_USER", humans), after: func(w *fixture, x cell) {
				for _, c := range w.all {
					if c == x.c || c.owner == x.c.name {
						w.do(fmt.Sprintf("POST /users/%d/reactivate", c.id))
						w.logIn(c)
					}
				}
			}},
	}
	for _, path := range []string{"/settings", "/settings/display", "/settings/notifications"} {
		rows = append(rows, &row{route: "PATCH " + path, rule: "Users other than bots, for themselves.", who: humans,
			with: []string{"enter_sends", "true"}},
			&row{route: "PATCH " + path, name: "of others", rule: "Administrators, except bots.",
				who:  elsewhere("400 BAD_REQUEST", adminPeople),
				with: []string{"enter_sends", "true", "target_users", `{"user_ids":[{bob}]}`}})
	}
	return rows
}

// nowhere returns a row that requests the server's description at an unknown host name.
func nowhere(route string) *row {
	return &row{
		route: route, name: "at an unknown host", rule: "No one.", who: always("400 BAD_REQUEST"),
		do: func(w *fixture, x cell) *kittest.Response {
			req := x.c.at.Request(x.path(strings.Replace(route, ":subdomain", "x", 1)), nil)
			req.Host = "nowhere." + inRealm
			return w.send(req, route)
		},
	}
}

func adminPeople(c *caller) string {
	if no := humans(c); no != "" {
		return no
	}
	return admins(c)
}
