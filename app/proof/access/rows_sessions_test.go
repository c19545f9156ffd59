package access_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

func sessionsTable() table {
	begin := func(w *fixture, c *caller) string {
		w.t.Helper()
		begun, err := w.s.Ports.Sessions.Begin(
			w.t.Context(),
			user.Actor{Realm: w.s.Realm, Agent: "Mozilla/5.0"},
			c.id,
		)
		if err != nil {
			w.t.Fatal(err)
		}
		id, _, _ := session.Parse(begun.Cookie)
		return fmt.Sprint(id)
	}
	olgas := func(x cell) bool { return x.c == x.w.olga }
	own := &family{name: "session", missing: map[string]string{"session_id": "987654321"}, sees: olgas,
		variants: []variant{{kind: "session", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := begin(w, w.olga)
			return object{map[string]string{"session_id": id, "id": id}}
		}}
	return table{"sessions", "Browser sessions. The pages are described in modules/sessions.", []*row{
		{
			route: "GET /sessions",
			rule:  "Users other than bots, for themselves.",
			who:   humans,
			on:    own,
			may:   olgas,
			found: listedIn("sessions", "id"),
		},
		{route: "DELETE /sessions/:session_id", rule: "The owner of the session.", who: humans, on: own, may: olgas,
			lasts: true},
		{route: "DELETE /sessions", rule: "Users other than bots, for themselves.", who: humans},
		{route: "GET mount /login", rule: "Everyone.", who: anyone},
		{route: "GET mount /accounts/login", rule: "Everyone.", who: anyone},
		{route: "GET mount /accounts/login", name: "with a password", rule: "Everyone who knows it.", who: anyone,
			do: logsIn},
		{route: "GET mount /accounts/login/subdomain", name: "without a token", rule: "No one.", who: always("404")},
		{route: "GET mount /accounts/logout", rule: "Everyone; redirects to the login page if not logged in.", who: anyone},
	}}
}

func webTable() table {
	return table{"web", "The web client.", []*row{
		{route: "GET mount /static/web", name: "no file", rule: "No one.", who: always("404")},
		{route: "GET mount /help", name: "no page", rule: "No one.", who: always("404"),
			do: func(w *fixture, x cell) *kittest.Response { return w.ask(x.c, "GET mount /help/none") }},
		{route: "GET mount /apple-touch-icon.png", rule: "Everyone.", who: anyone},
	}}
}

// logsIn submits a wrong password, after which the page must be shown again.
func logsIn(w *fixture, x cell) *kittest.Response {
	a := w.ask(x.c, "POST mount /accounts/login/", "username", "nobody@example.com", "password", "wrong")
	if a.Header.Get("Set-Cookie") != "" || a.Status == http.StatusOK && !strings.Contains(a.Body, "incorrect") {
		w.t.Errorf("%d %s", a.Status, a.Body)
	}
	return a
}
