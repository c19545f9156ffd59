package presence_test

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// entry is a user's entry in the modern format.
type entry struct {
	Active int64 `json:"active_timestamp"`
	Idle   int64 `json:"idle_timestamp"`
}

// poll requests the changes after a counter and returns the next counter.
func poll(c *kittest.Client, after int64, into map[string]entry) int64 {
	var body struct {
		Presences map[string]entry
		Last      int64 `json:"presence_last_update_id"`
	}
	c.Do(path, "status", "idle", "last_update_id", fmt.Sprint(after)).OK().JSON(&body)
	maps.Copy(into, body.Presences)
	return body.Last
}

// Many users report concurrently on two nodes while others poll with the counters they received: no report is missed.
func TestNoReportIsMissed(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		const reporters, each, readers = 24, 5, 4
		one := start(t, url)
		nodes := []*kittest.Server{one, one.Another()}
		type login struct{ email, key string }
		var people []login
		by := user.Actor{Realm: one.Realm, System: true}
		for i := range reporters {
			l := login{email: fmt.Sprintf("r%d@example.com", i)}
			id, err := one.Ports.Accounts.Create(t.Context(), by,
				ports.NewUser{Email: l.email, FullName: fmt.Sprint("Reporter ", i), Role: user.Member})
			if err == nil {
				l.key, err = one.Ports.Accounts.IssueKey(t.Context(), by, id)
			}
			if err != nil {
				t.Fatal(err)
			}
			people = append(people, l)
		}
		for i := range readers { // these are invisible, so that they write nothing
			one.As(everybody[i]).Do("PATCH /settings", "presence_enabled", "false").OK()
		}
		var reading sync.WaitGroup
		var done atomic.Bool
		states := make([]map[string]entry, readers)
		for i := range readers {
			states[i] = map[string]entry{}
			reading.Go(func() {
				after := int64(-1)
				for n := 0; !done.Load(); n++ {
					next := poll(nodes[(i+n)%2].As(everybody[i]), after, states[i])
					if next < after {
						t.Errorf("the counter went from %d to %d", after, next)
					}
					after = next
				}
				poll(nodes[i%2].As(everybody[i]), after, states[i])
			})
		}
		for range each {
			one.Clock.Advance(time.Minute)
			var reporting sync.WaitGroup
			for i, l := range people {
				reporting.Go(func() {
					nodes[i%2].WithKey(l.email, l.key).Do(path, "status", "active", "ping_only", "true").OK()
				})
			}
			reporting.Wait()
		}
		done.Store(true)
		reading.Wait()
		fresh := map[string]entry{}
		if last := poll(one.As(everybody[0]), -1, fresh); last != reporters*each+readers || len(fresh) != reporters+readers {
			t.Errorf("%d users are known, and the counter is %d", len(fresh), last)
		}
		for i, state := range states {
			for id, want := range fresh {
				if got := state[id]; got != want {
					t.Errorf("reader %d has %v for %s, want %v", i, got, id, want)
				}
			}
		}
	})
}
