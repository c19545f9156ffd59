package presence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, presence.Module, realm.Module, accounts.Module)
}

func start(t testing.TB, url string, more ...kit.Module) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url},
		append([]kit.Module{realm.Module, accounts.Module, groups.Module, channels.Module, events.Module, presence.Module},
			more...)...)
}

const path = "POST /users/me/presence"

// report sends a user's presence.
func report(s *kittest.Server, who, status string, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As(who).Do(path, append([]string{"status", status}, params...)...).OK()
}

// ping is like report, but requests no list.
func ping(s *kittest.Server, who, status string) {
	s.T.Helper()
	s.As(who).Do(path, "status", status, "ping_only", "true").Is(200, `{"result":"success","msg":""}`)
}

// look requests the changes after a counter without reporting a new status. It returns the timestamps per user, in
// seconds since the start, and the next counter.
func look(s *kittest.Server, who string, after int64) (map[string][2]int64, int64) {
	s.T.Helper()
	a := report(s, who, "idle", "last_update_id", fmt.Sprint(after))
	return modern(s, a), a.Int("presence_last_update_id")
}

// modern reads the modern format: timestamps by user name, in seconds since the start.
func modern(s *kittest.Server, a *kittest.Response) map[string][2]int64 {
	s.T.Helper()
	var body struct {
		Presences map[int64]struct {
			Active int64 `json:"active_timestamp"`
			Idle   int64 `json:"idle_timestamp"`
		}
	}
	a.JSON(&body)
	out := map[string][2]int64{}
	for _, name := range everybody {
		if p, ok := body.Presences[int64(s.UserID(name))]; ok {
			out[name] = [2]int64{p.Active - kittest.Epoch().Unix(), p.Idle - kittest.Epoch().Unix()}
			delete(body.Presences, int64(s.UserID(name)))
		}
	}
	if len(body.Presences) > 0 {
		s.T.Errorf("unknown people: %s", a.Body)
	}
	return out
}

var everybody = []string{"alice", "bob", "olga", "adam", "mona", "guest", "bot"}

// same compares the printed forms of two values.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

type seen = map[string][2]int64

// at sets the clock to a number of seconds after the start.
func at(s *kittest.Server, seconds int) {
	s.Clock.Set(kittest.Epoch().Add(time.Duration(seconds) * time.Second))
}

// queue is a client that receives presence events.
type queue struct{ *kittest.Queue }

func listen(s *kittest.Server, who string, params ...string) queue {
	s.T.Helper()
	return queue{s.As(who).Register(append([]string{"event_types", `["presence"]`, "fetch_event_types", `[]`,
		"idle_queue_timeout", "100000"}, params...)...)}
}

// next returns the events since the last call, without heartbeats.
func (q queue) next() (texts []string) {
	for _, e := range q.Next() {
		if e["type"] != "heartbeat" {
			texts = append(texts, kittest.JSON(e))
		}
	}
	return texts
}
