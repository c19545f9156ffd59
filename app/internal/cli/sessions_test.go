package cli_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestSessionCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		form := url.Values{"username": {a.email}, "password": {"a long password"}}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.PostForm(a.url+"/login/", form)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		listed := decoded[[]map[string]any](t, a.run("", "session list --json"))
		if len(listed) != 1 || listed[0]["email"] != a.email {
			t.Fatalf("%d %v", res.StatusCode, listed)
		}
		if of := decoded[[]map[string]any](t, a.run("", "user sessions --json --email "+a.email)); len(of) != 1 {
			t.Errorf("%v", of)
		}
		a.run("", "session end").fails(t, 2, "an ID or with --email")
		a.run("", "session end 7777 --yes").fails(t, 3, "no session 7777")
		a.run("", fmt.Sprintf("session end %v", listed[0]["session_id"])).fails(t, 4, "would end 1 sessions")
		me := func() int {
			req, err := http.NewRequestWithContext(t.Context(), "GET", a.url+"/json/users/me", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range res.Cookies() {
				req.AddCookie(c)
			}
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			return res.StatusCode
		}
		kittest.Await(t, func() bool { return me() == 200 })
		a.run("", "session end --yes --email "+a.email).ok(t)
		kittest.Await(t, func() bool { return me() == 401 })
	})
}

func TestInviteCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		if status, v := a.api("POST", "/invites/multiuse", url.Values{"stream_ids": {"[]"}}); status != 200 {
			t.Fatalf("%d %v", status, v)
		}
		queue := a.register()
		listed := decoded[[]map[string]any](t, a.run("", "invite list --json"))
		if len(listed) != 1 || listed[0]["kind"] != "link" || listed[0]["invited_by"] != a.email {
			t.Fatalf("%v", listed)
		}
		a.run("", "invite revoke 7777 --yes").fails(t, 3, "no pending invitation 7777")
		a.run("", fmt.Sprintf("invite revoke %v --yes", listed[0]["invite_id"])).ok(t)
		a.await(queue, `"type":"invites_changed"`)
	})
}
