package conformance_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// TestRefusalsOfServer provokes errors that the server has for all operations, and finds an example of each in the
// description of the API.
func TestRefusalsOfServer(t *testing.T) {
	harness.SQLiteSuffices(t, "nothing is stored")
	options := harness.AllOptions("")
	options.Log = slog.New(slog.DiscardHandler) // maintenance logs refusals as errors
	s := start(t, options, harness.AllModules()...)
	alice := s.As("alice")
	login, err := s.Client.PostForm(s.URL+"/login/", url.Values{
		"username": {"alice@example.com"}, "password": {kittest.Password},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, login.Body)
	_ = login.Body.Close()
	forged := s.Anonymous().Under("/json").Request("POST /users/me/status", strings.NewReader("away=true"))
	for _, c := range login.Cookies() {
		forged.AddCookie(c)
	}
	forged.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	forged.Header.Set("Origin", "https://evil.example.com")
	operation(t, s, "maintenance on", `{"message":"Back at noon."}`)
	maintained := alice.Do("POST /users/me/status", "status_text", "x")
	operation(t, s, "maintenance off", `{}`)
	d := openapi.New(openapi.Source{Modules: s.App.Modules()})
	for _, x := range []struct {
		got    *kittest.Response
		status int
		code   errs.Code
	}{
		{s.Anonymous().Under("/json").RoundTrip(forged), http.StatusForbidden, errs.CSRF},
		{maintained, http.StatusServiceUnavailable, errs.Maintenance},
		{alice.Send("POST /users/me/status", "", strings.NewReader("away=true")), http.StatusBadRequest, errs.BadRequest},
		{s.Anonymous().Do("GET /users/me"), http.StatusUnauthorized, errs.Unauthorized},
		{alice.Do("POST /users/me/status", "status_text", strings.Repeat("x", 5<<20)),
			http.StatusRequestEntityTooLarge, errs.TooLarge},
		{alice.Do("GET /users/me", "x", strings.Repeat("x", 1<<18)), http.StatusRequestHeaderFieldsTooLarge,
			errs.BadRequest},
	} {
		x.got.Error(x.status, string(x.code), "")
		found := false
		for _, p := range d.Paths {
			for _, o := range p.Operations() {
				for _, r := range d.Refusals(o) {
					found = found || r.General() && r.Status == x.status && r.Code() == x.code
				}
			}
		}
		if !found {
			t.Errorf("the description has no example of %d %s; run make examples", x.status, x.code)
		}
	}
}

// operation runs a command of an operator.
func operation(t *testing.T, s *kittest.Server, name, flags string) {
	t.Helper()
	call := server.Call{Name: name, Database: s.App.Config.Settings.DatabaseID(), Flags: []byte(flags)}
	if err := s.App.RunCommand(t.Context(), call, io.Discard); err != nil {
		t.Fatal(err)
	}
}
