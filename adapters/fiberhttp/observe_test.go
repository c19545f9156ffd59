package fiberhttp

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// watching lets a module see all requests.
func watching(r kit.Requests) option {
	return func(_ *Config, d *Deps) { d.Collected.Modules[0].Parts.Requests = r }
}

// TestAnswered checks what modules learn about requests after these were answered.
func TestAnswered(t *testing.T) {
	var mu sync.Mutex
	var all []kit.Answered
	s := serve(t, rows(), watching(kit.Requests{Answered: func(_ context.Context, a kit.Answered) {
		mu.Lock()
		defer mu.Unlock()
		if all = append(all, a); a.Route == "none" {
			panic("unknown")
		}
	}}))
	agent := map[string]string{"User-Agent": "Lynx/2.9 (x)"}
	s.do("GET /api/v1/things/5", callOptions{as: "alice", query: "q=secret", header: agent})
	s.do("GET /api/v1/things/5", callOptions{})
	s.do("GET /nowhere/secret", callOptions{})
	s.do("BREW /api/v1/things/5", callOptions{})
	seen := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(all)
	}
	testrun.Await(t, "four requests observed", func() bool { return seen() == 4 })
	first := all[0]
	if first.Method != "GET" || first.Route != "/api/v1/things/:thing_id" || first.Status != 200 || first.User != alice ||
		first.Realm != 1 || first.Bytes == 0 || first.Agent != "Lynx/2.9 (x)" || first.ID == "" ||
		!first.Address.IsLoopback() {
		t.Errorf("%+v", first)
	}
	if a := all[1]; a.Status != 401 || a.User != 0 {
		t.Errorf("without a login: %+v", a)
	}
	if a := all[2]; a.Status != 404 || a.Route != "none" {
		t.Errorf("of no route: %+v", a)
	}
	if a := all[3]; a.Status != 405 || a.Method != "BREW" {
		t.Errorf("of an unknown method: %+v", a)
	}
	if log := s.log.String(); !strings.Contains(log, "module=test") {
		t.Errorf("the log does not name the module that panicked: %s", log)
	}
}

// TestAdmit checks that a module refuses requests before their callers are authenticated, also those of no route and
// those of mounted handlers, and that a module that is too slow or panics refuses them as well.
func TestAdmit(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	s := serve(t, rows(), watching(kit.Requests{Admit: func(_ context.Context, r kit.Request) error {
		switch r.Agent {
		case "bad":
			return errs.New(errs.PermissionDenied, "Not for you")
		case "slow":
			<-release
		case "broken":
			panic("broken")
		}
		return nil
	}}))
	var checked atomic.Int32
	s.refused = func() { checked.Add(1) }
	with := func(agent string) callOptions {
		wrong := basicAuth("alice@example.com", "x")
		return callOptions{header: map[string]string{"User-Agent": agent, "Authorization": wrong}}
	}
	for _, path := range []string{"/api/v1/things/5", "/api/v1/open", "/nowhere"} {
		s.is(s.do("GET "+path, with("bad")), 400, `{"result":"error","msg":"Not for you","code":"PERMISSION_DENIED"}`)
		if got := s.do("GET "+path, with("slow")); got.status != 503 {
			t.Errorf("%s: too slow: %d %s", path, got.status, got.body)
		}
		if got := s.do("GET "+path, with("broken")); got.status != 500 {
			t.Errorf("%s: after a panic: %d %s", path, got.status, got.body)
		}
	}
	if n := checked.Load(); n != 0 {
		t.Errorf("%d credentials were checked", n)
	}
	if got := s.do("GET /api/v1/things/5", callOptions{as: "alice"}); got.status != 200 {
		t.Errorf("others: %d %s", got.status, got.body)
	}
	if log := s.log.String(); !strings.Contains(log, "module=test") {
		t.Errorf("the log names no module: %s", log)
	}
}
