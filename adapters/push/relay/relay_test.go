package relay_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/relay/pushtest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
)

// service is a relay that speaks the protocol, and passes the calls on to a fake.
type service struct {
	pushtest.Fake
	mu      sync.Mutex
	refuses *errs.Code
}

// Refuse implements pushtest.Service.
func (s *service) Refuse(code *errs.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = code
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	refuses := s.refuses
	s.mu.Unlock()
	id, key, _ := r.BasicAuth()
	switch {
	case id != "server" || key != "key":
		w.WriteHeader(http.StatusUnauthorized)
	case refuses != nil && *refuses == "":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>"))
	case refuses != nil && *refuses == errs.AdminAction:
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"result":"error","code":"MISSING_REMOTE_REALM","msg":"x"}`))
	case refuses != nil:
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"result": "error", "code": *refuses, "msg": "x"})
	case strings.HasSuffix(r.URL.Path, "/register"):
		_ = s.Register(r.Context(), push.ServiceRegistration{
			RealmUUID: r.FormValue("realm_uuid"), TokenID: r.FormValue("token_id"),
			BouncerKey: r.FormValue("bouncer_public_key"), Sealed: r.FormValue("encrypted_push_registration"),
		})
	default:
		s.notify(w, r)
	}
}

func (s *service) notify(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Realm    string `json:"realm_uuid"`
		Requests []struct {
			TokenID  string `json:"token_id"`
			Priority string `json:"fcm_priority"`
			Headers  *struct {
				Type string `json:"apns-push-type"`
			} `json:"http_headers"`
			Payload struct {
				KeyID any    `json:"push_key_id"`
				Data  string `json:"encrypted_data"`
				APS   struct {
					Available int `json:"content-available"`
				} `json:"aps"`
			} `json:"payload"`
		} `json:"push_requests"`
	}
	d := json.NewDecoder(r.Body)
	d.UseNumber()
	if err := d.Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	all := make([]push.ServiceNotification, len(in.Requests))
	for i, q := range in.Requests {
		n := push.ServiceNotification{TokenID: q.TokenID, Kind: push.FCM, Data: q.Payload.Data, Quiet: q.Priority == "normal"}
		if q.Headers != nil {
			n.Kind, n.Quiet = push.APNs, q.Payload.APS.Available == 1
		}
		text, _ := q.Payload.KeyID.(string)
		if number, ok := q.Payload.KeyID.(json.Number); ok {
			text = number.String()
		}
		id, _ := strconv.ParseUint(text, 10, 32)
		n.KeyID = uint32(id)
		all[i] = n
	}
	report, err := s.Notify(r.Context(), in.Realm, all)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	out := map[string]any{
		"android_successfully_sent_count": report.FCM, "apple_successfully_sent_count": report.APNs,
		"delete_token_ids": keys(report.Dead), "retry_token_ids": keys(report.Later),
	}
	_ = json.NewEncoder(w).Encode(out)
}

func keys(m map[string]bool) []string {
	all := []string{}
	for k := range m {
		all = append(all, k)
	}
	return all
}

func start(t *testing.T) (*service, *httptest.Server, *relay.Relay) {
	t.Helper()
	s := &service{}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	c := relay.Defaults()
	c.URL, c.ServerID, c.ServerKey = at.URL, "server", "key"
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return s, at, relay.New(c)
}

func TestContract(t *testing.T) {
	s, _, r := start(t)
	pushtest.Contract(t, r, s)
}

// The health check reports how the latest call went. A refusal is an answer of a relay that works.
func TestHealth(t *testing.T) {
	s, at, r := start(t)
	call := func() { _ = r.Register(t.Context(), push.ServiceRegistration{TokenID: "x"}) }
	refused, out := errs.BadRequest, errs.Code("")
	for _, c := range []struct {
		refuses *errs.Code
		want    string
	}{{nil, ""}, {&out, "the push relay at " + at.URL}, {&refused, ""}, {&out, "look at the relay"}, {nil, ""}} {
		s.Refuse(c.refuses)
		call()
		err := r.Health(t.Context())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	at.Close()
	call()
	if err := r.Health(t.Context()); err == nil || !strings.Contains(err.Error(), "adapters.push") {
		t.Errorf("closed: %v", err)
	}
}
