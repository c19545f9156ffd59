package mailapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/party/mailapi"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/accounts"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
)

// service is a mail service for tests.
type service struct {
	mu     sync.Mutex
	got    []mail.Message
	accept bool // email to mailtest.Later
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var m mail.Message
	switch err := json.NewDecoder(r.Body).Decode(&m); {
	case err != nil, m.To == mailtest.Refused:
		w.WriteHeader(http.StatusUnprocessableEntity)
	case m.To == mailtest.Later && !s.accept:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		s.got = append(s.got, m)
	}
}

func (s *service) received(*testing.T) []mail.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

func (s *service) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accept = true
}

func start(t *testing.T) (*service, mailapi.Config) {
	t.Helper()
	s := &service{}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	c := mailapi.Defaults()
	c.URL, c.Token, c.From = at.URL, "secret", "noreply@chat.example.com"
	return s, c
}

func TestContract(t *testing.T) {
	s, c := start(t)
	mailtest.Contract(t, mailapi.New(c), s.received, s.open)
}

func TestHealth(t *testing.T) {
	_, c := start(t)
	if err := mailapi.New(c).Health(t.Context()); err != nil {
		t.Error(err)
	}
	c.Token = "wrong"
	if err := mailapi.New(c).Health(t.Context()); err == nil || !strings.Contains(err.Error(), "correct adapters.mail.token") {
		t.Error(err)
	}
}

// TestServer checks that a server uses the adapter that its configuration selects.
func TestServer(t *testing.T) {
	_, c := start(t)
	s := kittest.StartWith(t, kittest.Options{
		Config: "adapters: {mail: {use: api, url: '" + c.URL + "', token: secret, from: a@example.com}}",
	}, realm.Module, accounts.Module, mailmodule.Module, mailapi.Module)
	var health struct{ Checks map[string]string }
	s.Anonymous().Under("").Do("GET /health").JSON(&health)
	if health.Checks["adapters.mail"] != "ok" {
		t.Errorf("%v", health.Checks)
	}
}
