package oracle_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// The state derived from events equals that of a new registration, even if changes are made concurrently.
func TestStateByEventsWhileThingsChange(t *testing.T) {
	s := harness.StartAll(t)
	const rounds = 25
	general := fmt.Sprint(s.ChannelID("general"))
	var errs failures
	var changing, polling sync.WaitGroup
	over := make(chan struct{})
	var all []*listener
	for _, n := range []string{"alice", "bob", "mona", "guest", "olga", "adam"} {
		l := listen(s.As(n), n, everyCapability())
		all = append(all, l)
		polling.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if err := l.follow(); err != nil {
					errs.add("%s: %v", l.name, err)
					return
				}
			}
		})
	}
	change := func(who *kittest.Client, one func(i int) (call string, params []string)) {
		changing.Go(func() {
			for i := range rounds {
				call, params := one(i)
				if a := who.Do(call, params...); a.Status != 200 {
					errs.add("%s: %d %s", call, a.Status, a.Body)
				}
			}
		})
	}
	change(s.As("olga"), func(i int) (string, []string) {
		return "POST /users", []string{"email", fmt.Sprintf("made%d@example.com", i), "full_name", fmt.Sprintf("Made %d", i),
			"password", "long enough 1"}
	})
	change(s.As("adam"), func(i int) (string, []string) {
		return "POST /user_groups/create", []string{"name", fmt.Sprintf("group %d", i), "description", "d", "members",
			fmt.Sprintf("[%d]", s.UserID("bob"))}
	})
	change(s.As("alice"), func(i int) (string, []string) {
		return "POST /messages", []string{"type", "channel", "to", general, "topic", fmt.Sprint("topic ", i%3), "content",
			"hello"}
	})
	change(s.As("bob"), func(i int) (string, []string) {
		return "PATCH /settings", []string{"full_name", fmt.Sprintf("Bob %d", i)}
	})
	changing.Wait()
	close(over)
	polling.Wait()
	for _, l := range all {
		if err := l.follow(); err != nil {
			errs.add("%s: %v", l.name, err)
			continue
		}
		if bad := l.compare(); len(bad) > 0 {
			errs.add("%s", strings.Join(bad[:min(len(bad), 8)], "\n"))
		}
	}
	for _, err := range errs.all {
		t.Error(err)
	}
}

// failures collects the errors of goroutines, which cannot end the test themselves.
type failures struct {
	mu  sync.Mutex
	all []string
}

func (f *failures) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, fmt.Sprintf(format, args...))
}
