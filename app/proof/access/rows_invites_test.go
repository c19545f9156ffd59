package access_test

import (
	"fmt"
	"strings"
)

func invitesTable() table {
	mail := func(as string) []string {
		return []string{"invitee_emails", "invited{n}@proof.example.com", "stream_ids", "[]", "invite_as", as}
	}
	// invitations returns olga's invitations, and those of each caller who is allowed to invite.
	invitations := func(kind, call string, params func(as string) []string, list bool) *family {
		f := &family{name: kind, missing: map[string]string{"id": "987654321", "invite_id": "987654321"},
			variants: []variant{{kind: "of olga's"}, {kind: "of olga's, for an owner"}},
			make: func(w *fixture, v variant, _ []*caller) object {
				as, x := "400", cell{w: w, c: w.olga}
				if v.kind == "of olga's, for an owner" {
					as = "100"
				}
				with := params(as)
				for i := range with {
					with[i] = x.fill(with[i])
				}
				w.do(call, with...)
				all, _ := w.do("GET /invites").Get("invites").([]any)
				last := ""
				for _, one := range all {
					if i := one.(map[string]any); i["is_multiuse"] == list {
						last = fmt.Sprint(i["id"])
					}
				}
				return object{map[string]string{"id": last, "invite_id": last}}
			}}
		return f
	}
	mails := invitations("invitation by mail", "POST /invites", mail, false)
	links := invitations("link", "POST /invites/multiuse", func(as string) []string { return []string{"invite_as", as} },
		true)
	revokes := func(x cell) bool { return x.c.role == 100 || x.c.admin() && x.v.kind != "of olga's, for an owner" }
	none := func(cell) bool { return false }
	admin := func(x cell) bool { return x.c.admin() }
	owner := func(x cell) bool { return x.c.role == 100 }
	mounts := []*row{
		{route: "GET mount /join", name: "without a key", rule: "No one.", who: always("404")},
		{route: "GET mount /accounts/do_confirm", name: "without a key", rule: "No one.", who: always("404")},
		{route: "GET mount /register", rule: "No one, if an invitation is required.", who: always("400")},
	}
	return table{"invites", "Invitations.", append([]*row{
		{route: "GET /invites", rule: "Users other than guests, for their own invitations; administrators for " +
			"all.", who: members},
		{route: "POST /invites", rule: "can_invite_users_group (members), with an account older than three days.",
			who: members, with: mail("400"),
			may: func(x cell) bool { return !x.c.newcomer }},
		{route: "POST /invites", name: "for a moderator", rule: "Moderators and administrators.", who: members,
			with: mail("300"),
			may:  func(x cell) bool { return x.c.role <= 300 }},
		{route: "POST /invites", name: "for an owner", rule: "Owners.", who: members, with: mail("100"), may: owner},
		{route: "POST /invites/multiuse", rule: "create_multiuse_invite_group (administrators).", who: members, may: admin},
		{route: "POST /invites/multiuse", name: "for an owner", rule: "Owners.", who: members,
			with: []string{"invite_as", "100"}, may: owner},
		{route: "DELETE /invites/:invite_id", rule: "The inviter, and administrators; only owners if it creates an owner.",
			who: members, on: mails, may: revokes, sees: admin, lasts: true},
		{route: "POST /invites/:invite_id/resend", rule: "As for revoking it.", who: members, on: mails, may: revokes,
			sees: admin, lasts: true},
		{route: "DELETE /invites/multiuse/:invite_id", rule: "As for an email invitation.", who: members, on: links,
			may:  revokes,
			sees: admin, lasts: true},
		{route: "POST /join", rule: "No one without a valid key.", who: anyone, may: none,
			with: []string{"key", strings.Repeat("x", 24), "email", "x{n}@proof.example.com", "full_name", "X", "password",
				"{password}"}},
		{route: "POST /join/look", rule: "No one without a valid key.", who: anyone, may: none,
			with: []string{"key", strings.Repeat("x", 24)}},
	}, mounts...)}
}
