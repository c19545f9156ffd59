package operate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// hold begins a poll, and returns its response when it has come.
func hold(t testing.TB, s *kittest.Server, q *kittest.Queue) func() *kittest.Response {
	t.Helper()
	before := scrape(t, s).sum("stoa_polls_parked")
	answer := make(chan *kittest.Response, 1)
	go func() { answer <- q.Wait() }()
	kittest.Await(t, func() bool { return scrape(t, s).sum("stoa_polls_parked") > before })
	return func() *kittest.Response { return testrun.Receive(t, answer, "response to a poll") }
}

// The delivery of a message is measured once, from its sending to the response of the first client that waits for it.
func TestDelivery(t *testing.T) {
	s := measured(t)
	s.As("alice").Register() // never polls
	alice, bob := s.As("alice").Register(), s.As("bob").Register()
	first, second := hold(t, s, alice), hold(t, s, bob)
	s.As("olga").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	first().OK()
	second().OK()
	kittest.Await(t, func() bool { return scrape(t, s).sum("stoa_poll_wake_delay_seconds_count") == 2 })
	p := scrape(t, s)
	n, took := p.sum("stoa_delivery_seconds_count"), p.sum("stoa_delivery_seconds_sum")
	if n != 1 || took <= 0 || took > 1 {
		t.Errorf("%v deliveries took %v s", n, took)
	}
	for name, want := range map[string]float64{
		"stoa_messages_total": 1, "stoa_queues": 3, "stoa_polls_parked": 0, "stoa_log_lag_seconds": 0,
		"stoa_log_conflicts_total": 0,
	} {
		if got := p.sum(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if head, at := p.sum("stoa_log_head"), p.sum("stoa_log_applied"); head == 0 || head != at {
		t.Errorf("the log is at %v, the view at %v", head, at)
	}
}

// A client that was away is no slow delivery.
func TestAwayIsNotSlow(t *testing.T) {
	s := measured(t)
	q := s.As("bob").Register()
	s.Clock.Advance(time.Minute)
	s.As("olga").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "hello").OK()
	s.Clock.Advance(time.Minute)
	q.Take()
	if n := scrape(t, s).sum("stoa_delivery_seconds_count"); n != 0 {
		t.Errorf("%v deliveries were measured", n)
	}
}

// While a node does not read the log, its lag grows.
func TestLagGrows(t *testing.T) {
	s := measured(t)
	s.As("bob").Do("GET /users/me").OK()
	kittest.Await(t, func() bool { // the node reads the log every two seconds, so perhaps just before the scrape
		s.Clock.Advance(20 * time.Second)
		return scrape(t, s).sum("stoa_log_lag_seconds") > 15
	})
	s.As("bob").Do("GET /users/me").OK() // verifies the view
	if lag := scrape(t, s).sum("stoa_log_lag_seconds"); lag != 0 {
		t.Errorf("the lag is %v s after the log was read", lag)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	s := measured(t)
	s.As("bob").Do("GET /users/me").OK()
	s.As("bob").Do("GET /users/me").OK()
	s.As("guest").Do("GET /users/999999")
	s.Anonymous().Do("GET /users/me")
	s.Anonymous().Under("").Do("GET /ada.lovelace@example.com")
	p := scrape(t, s)
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"stoa_http_requests_total", []string{"route", "/api/v1/users/me", "method", "GET", "status", "2xx"}, 2},
		{"stoa_http_requests_total", []string{"route", "/api/v1/users/me", "status", "4xx"}, 1},
		{"stoa_http_requests_total", []string{"route", "/api/v1/users/:user_id", "status", "4xx"}, 1},
		{"stoa_http_requests_total", []string{"route", "none", "status", "4xx"}, 1},
		{"stoa_http_request_duration_seconds_count", []string{"route", "/api/v1/users/me", "status", "2xx"}, 2},
		{"stoa_denied_total", []string{"class", "credentials"}, 1},
		{"stoa_http_in_flight", nil, 0},
		{"stoa_build_info", nil, 1},
	} {
		if got := p.sum(c.name, c.labels...); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
	if p.sum("stoa_http_response_bytes_total") == 0 {
		t.Error("no bytes were counted")
	}
}

// The page has two formats, and nothing else is served beside it.
func TestFormats(t *testing.T) {
	s := measured(t)
	for accept, want := range map[string]string{
		"": "text/plain; version=0.0.4", "application/openmetrics-text": "application/openmetrics-text",
	} {
		res, body := get(t, s, "/metrics", http.Header{"Accept": {accept}})
		if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
			t.Errorf("%q: Content-Type is %q", accept, got)
		}
		if strings.HasSuffix(body, "# EOF\n") != (accept != "") {
			t.Errorf("%q: the end is %q", accept, body[len(body)-20:])
		}
	}
	if res, _ := get(t, s, "/", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("/ has status %d", res.StatusCode)
	}
	if a := s.Anonymous().Under("").Do("GET /metrics"); a.Status != http.StatusNotFound {
		t.Errorf("the public listener serves /metrics with status %d", a.Status)
	}
}

func TestToken(t *testing.T) {
	o := options("metrics: {addr: '127.0.0.1:0', token: a-token-of-operators}\n")
	s := kittest.StartWith(t, o, harness.AllModules()...)
	for given, want := range map[string]int{
		"": 401, "Bearer a-token-of-operator": 401, "Basic a-token-of-operators": 401, "Bearer a-token-of-operators": 200,
		"bearer a-token-of-operators": 200, "a-token-of-operators": 401,
	} {
		res, body := get(t, s, "/metrics", http.Header{"Authorization": {given}})
		if res.StatusCode != want || want == 401 && (res.Header.Get("WWW-Authenticate") != "Bearer" ||
			body != "Send metrics.token as Authorization: Bearer.\n") {
			t.Errorf("%q: status %d, %s", given, res.StatusCode, body)
		}
	}
}
