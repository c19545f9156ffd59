package fiberhttp

import (
	"context"
	"maps"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// measures are the server's instruments. They are nil while metrics are off.
type measures struct {
	on                          bool
	unrouted                    routeMeasures
	received, written           *ports.Counter
	limited, denied, loggedInBy *ports.Counter
}

// routeMeasures are the instruments of one route.
type routeMeasures struct {
	requests *ports.Counter   // by method and class of the status
	took     *ports.Histogram // likewise
}

// statusClasses are the values of the label status. A client that has disconnected gets no response.
var statusClasses = []string{"1xx", "2xx", "3xx", "4xx", "5xx", "disconnected"}

func statusClass(status int) string {
	if status == 499 {
		return "disconnected"
	}
	return statusClasses[min(max(status/100, 1), 5)-1]
}

// deniedFor are the values of the label class of refusals, by code.
var deniedFor = map[errs.Code]string{
	errs.Unauthorized: "credentials", errs.AuthenticationFailed: "credentials", errs.InvalidAPIKey: "credentials",
	errs.UnauthorizedPrincipal: "permission", errs.PermissionDenied: "permission", errs.CSRF: "csrf",
}

// measure creates the instruments.
func (s *Server) measure() {
	m := s.Metrics
	if m == nil {
		return
	}
	var patterns []string
	for _, r := range s.routes {
		patterns = append(patterns, routeName(r, false))
	}
	labels := []ports.Label{
		{Name: "route", Values: append(patterns, routeName(nil, false))}, {Name: "method", Values: fiber.DefaultMethods},
		{Name: "status", Values: statusClasses},
	}
	requests := m.Counter(ports.Instrument{Name: "stoa_http_requests_total", Labels: labels,
		Help: "Requests, by pattern of the route and class of the status."})
	took := m.Histogram(ports.Instrument{Name: "stoa_http_request_duration_seconds", Labels: labels,
		Help: "Duration of requests, without held polls."})
	of := func(r *route) routeMeasures {
		name := routeName(r, false)
		return routeMeasures{requests.With(name), took.With(name)}
	}
	for _, r := range s.routes {
		r.m = of(r)
	}
	class := func(values ...string) []ports.Label { return []ports.Label{{Name: "class", Values: values}} }
	s.m = measures{
		on: true, unrouted: of(nil),
		received: m.Counter(ports.Instrument{Name: "stoa_http_request_bytes_total",
			Help: "Bytes of the bodies of requests."}),
		written: m.Counter(ports.Instrument{Name: "stoa_http_response_bytes_total",
			Help: "Bytes of the bodies of responses."}),
		limited: m.Counter(ports.Instrument{Name: "stoa_limited_total", Help: "Requests that exceeded a rate limit.",
			Labels: class(slices.Concat([]string{"requests", kit.RateFiles, kit.RatePolls, kit.RateServers, kit.LoginClass},
				slices.Sorted(maps.Keys(classLimiters(RateLimits{}, s.Collected))))...)}),
		denied: m.Counter(ports.Instrument{Name: "stoa_denied_total", Labels: class("credentials", "permission", "csrf"),
			Help: "Requests that were refused because of wrong credentials or missing permissions."}),
		loggedInBy: m.Counter(ports.Instrument{Name: "stoa_logins_total", Help: "Checks of passwords and tokens.",
			Labels: []ports.Label{{Name: "method", Values: []string{"page", "api"}},
				{Name: "outcome", Values: []string{"ok", "failed", "limited"}}}}),
	}
	m.Gauge(ports.Instrument{Name: "stoa_http_in_flight", Help: "Requests being processed, without held polls."},
		func(_ context.Context, set ports.SetValue) error { set(float64(s.watchdog.running())); return nil })
	m.Gauge(ports.Instrument{Name: "stoa_polls_parked", Help: "Held polls."},
		func(_ context.Context, set ports.SetValue) error { set(float64(s.held())); return nil })
}

// running returns the number of running requests.
func (w *watchdog) running() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for r := w.first; r != nil; r = r.next {
		n++
	}
	return n
}

// held returns the number of held polls.
func (s *Server) held() int {
	if s.polls == nil {
		return 0
	}
	s.polls.mu.Lock()
	defer s.polls.mu.Unlock()
	return len(s.polls.held)
}

// measure counts a request that has ended.
func (x *request) measure(status int) {
	m := &x.s.m
	if !m.on {
		return
	}
	of, class := &m.unrouted, statusClass(status)
	if x.route != nil {
		of = &x.route.m
	}
	of.requests.Add(1, x.method, class)
	if !x.held {
		of.took.Took(x.s.Clock.Now().Sub(x.start), x.method, class)
	}
	if x.c != nil {
		m.received.Add(int(bodyOf(x.c.Context()).read))
	}
	m.written.Add(max(0, x.length()))
}

// measureRefusal counts an error that a rate limit or an access rule has caused.
func (x *request) measureRefusal(code errs.Code) {
	if code == errs.RateLimit {
		class := "requests"
		if x.route != nil && x.route.RateClass != "" {
			class = x.route.class()
		}
		x.s.m.limited.Add(1, class)
	} else if class := deniedFor[code]; class != "" {
		x.s.m.denied.Add(1, class)
	}
}

// measureLogin counts a check of a password or token.
func (x *request) measureLogin(err error) {
	method, outcome := "api", ports.Outcome(err)
	if x.route.Handler != nil {
		method = "page"
	}
	if errs.Is(err, errs.RateLimit) {
		outcome = "limited"
	}
	x.s.m.loggedInBy.Add(1, method, outcome)
}

// sent tells the result that the response was sent.
func (x *request) sent() {
	if x.result != nil {
		x.result.Sent()
	}
}
