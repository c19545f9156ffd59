// Package calltest contains the contract test for ports.Webhooks.
package calltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/ports"
)

// Contract tests a ports.Webhooks that may reach 127.0.0.1 at any port from 1024, and gives up after a second or so.
func Contract(t *testing.T, w ports.Webhooks) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(serve))
	defer s.Close()
	post := func(ctx context.Context, address string) (webhook.Reply, error) {
		return w.Post(ctx, webhook.Call{URL: address, ContentType: "text/x", Body: []byte("hello")})
	}
	for path, want := range map[string]string{
		"/echo": "200 POST text/x hello", "/refuses": "403 no", "/moved": "307 ", "/empty": "204 ",
	} {
		reply, err := post(t.Context(), s.URL+path)
		if got := fmt.Sprint(reply.Status, " ", string(reply.Body)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	reply, err := w.Get(t.Context(), s.URL+"/wants", "application/x")
	if got := string(reply.Body); err != nil || reply.Status != 200 || got != "GET application/x" {
		t.Errorf("get: %d %q, %v", reply.Status, got, err)
	}
	for address, is := range map[string]func(error) bool{
		s.URL + "/endless":      code(errs.TooLarge),
		s.URL + "/closed":       code(errs.Unavailable),
		s.URL + "/slow":         func(err error) bool { return errors.Is(err, context.DeadlineExceeded) },
		"http://name.invalid/":  code(errs.Unavailable),
		"":                      code(errs.BadRequest),
		"ftp://example.com/":    code(errs.BadRequest),
		"http://u:p@127.0.0.1/": code(errs.BadRequest),
		"http://[":              code(errs.BadRequest),
	} {
		if reply, err := post(t.Context(), address); !is(err) || reply.Status != 0 {
			t.Errorf("%q: %+v, %v", address, reply, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := post(ended, s.URL+"/echo"); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}

func code(c errs.Code) func(error) bool { return func(err error) bool { return errs.Is(err, c) } }

// serve is a service with good and bad replies.
func serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/echo":
		_, _ = fmt.Fprint(w, r.Method, " ", r.Header.Get("Content-Type"), " ", string(body)) //nolint:gosec // of a test
	case "/wants":
		_, _ = fmt.Fprint(w, r.Method, " ", r.Header.Get("Accept")) //nolint:gosec // of a test
	case "/refuses":
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, "no")
	case "/moved":
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	case "/empty":
		w.WriteHeader(http.StatusNoContent)
	case "/endless":
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 32<<10)); err != nil {
				return
			}
		}
	case "/closed":
		panic(http.ErrAbortHandler)
	case "/slow":
		<-r.Context().Done()
	}
}
