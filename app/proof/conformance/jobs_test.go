package conformance_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// loads counts how often realms' facts are loaded.
type loads struct {
	mu sync.Mutex
	n  map[realm.ID]int
}

func (l *loads) module() kit.Module {
	load := func(_ context.Context, r realm.ID, _ *directory.Builder) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.n[r]++
		return nil
	}
	return kit.Define("loads", "Counts loads.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Directory: []directory.Part{{Name: "loads", Load: load}}}, nil
	})
}

// jobs runs all jobs on a server that has no facts in memory, and returns the realms whose facts were loaded.
func (l *loads) jobs(s *kittest.Server) string {
	s.Restart()
	l.mu.Lock()
	l.n = map[realm.ID]int{}
	l.mu.Unlock()
	for _, m := range s.Ports.Collected.Modules {
		for _, j := range m.Parts.Jobs {
			if j.Timeout < 24*time.Hour { // other jobs run until the server stops
				s.RunJob(m.Module + "." + j.Name)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.n)
}

// TestJobsLeaveRealmsAlone checks that jobs load only the facts of realms with due work, and ignore deactivated realms.
func TestJobsLeaveRealmsAlone(t *testing.T) {
	l := &loads{n: map[realm.ID]int{}}
	s, here := oneRealm(t, l.module())
	there := anotherRealm(t, s)
	here.settle()
	there.settle()
	there.olga.Do("PATCH /realm", "message_retention_days", "3", "waiting_period_threshold", "5").OK()
	s.Clock.Advance(10 * time.Minute)
	l.jobs(s)
	if got := l.jobs(s); got != "map[]" {
		t.Errorf("nothing is due, but jobs load %s", got)
	}

	// In the other realm, messages outlive the retention period, members become full members, and channels become old
	// enough for traffic statistics.
	there.olga.Do("GET /messages/" + there.ids["message"]).OK()
	s.Clock.Advance(10 * 24 * time.Hour)
	if err := s.Ports.States.Deactivate(t.Context(), there.realm, nil); err != nil {
		t.Fatal(err)
	}
	if got := l.jobs(s); got != fmt.Sprintf("map[%d:1]", here.realm) {
		t.Errorf("due jobs of the active realm load %s", got)
	}
	if err := s.Ports.States.Reactivate(t.Context(), there.realm); err != nil {
		t.Fatal(err)
	}
	there.olga.Do("GET /messages/" + there.ids["message"]).OK()
	if got := l.jobs(s); got != fmt.Sprintf("map[%d:1]", there.realm) {
		t.Errorf("due jobs of the reactivated realm load %s", got)
	}
	there.olga.Do("GET /messages/"+there.ids["message"]).Error(400, "BAD_REQUEST", "")
	here.olga.Do("GET /messages/" + here.ids["message"]).OK()
}
