package bots_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, bots.Module, realm.Module, accounts.Module) }

func start(t *testing.T, url string, settings ...string) *kittest.Server {
	t.Helper()
	config := "modules: {bots: {" + strings.Join(settings, ", ") + "}}"
	s := kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: config},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, bots.Module)
	s.Skip()
	return s
}

// testBot is a bot created by a test.
type testBot struct {
	s          *kittest.Server
	id         int64
	email, key string
}

// makeBot creates a bot.
func makeBot(s *kittest.Server, owner, short string, params ...string) testBot {
	s.T.Helper()
	a := s.As(owner).Do("POST /bots", append([]string{"full_name", short, "short_name", short}, params...)...).OK()
	return testBot{s, a.Int("user_id"), short + "-bot@stoa.invalid", a.String("api_key")}
}

func (m testBot) client() *kittest.Client { return m.s.WithKey(m.email, m.key) }

// path replaces %d by the bot's ID.
func (m testBot) path(call string) string { return fmt.Sprintf(call, m.id) }

// user returns the bot's record as bob sees it.
func (m testBot) user() *kittest.Response { return m.s.As("bob").Do(m.path("GET /users/%d")).OK() }

func named(g group.ID) string { return kittest.JSON(map[string]group.ID{"new": g}) }

// follower is a client that keeps its list of bots up to date from /register and events.
type follower struct {
	who   string
	queue *kittest.Queue
	state map[string]map[string]any
}

type followers struct {
	s   *kittest.Server
	all []*follower
}

func follow(s *kittest.Server) *followers {
	s.T.Helper()
	fs := &followers{s: s}
	for _, who := range []string{"alice", "bob", "olga", "adam", "mona", "guest"} {
		f := &follower{who: who}
		f.queue, f.state = fs.register(who)
		fs.all = append(fs.all, f)
	}
	return fs
}

func (fs *followers) register(who string) (q *kittest.Queue, state map[string]map[string]any) {
	fs.s.T.Helper()
	q = fs.s.As(who).Register("event_types", `["realm_bot"]`, "queue_lifespan_secs", "604800")
	state = map[string]map[string]any{}
	for _, b := range q.Start.Get("realm_bots").([]any) {
		b := b.(map[string]any)
		state[fmt.Sprint(b["user_id"])] = b
	}
	return q, state
}

// expect checks the events received since the last call against lines of the form "who: op op", and compares the state
// of all clients with /register.
func (fs *followers) expect(want ...string) {
	fs.s.T.Helper()
	var got []string
	for _, f := range fs.all {
		ops := fs.applyEvents(f)
		if len(ops) > 0 {
			got = append(got, f.who+": "+strings.Join(ops, " "))
		}
		if _, now := fs.register(f.who); kittest.JSON(now) != kittest.JSON(f.state) {
			fs.s.T.Errorf("%s has\n\t%s\nbut /register has\n\t%s", f.who, kittest.JSON(f.state), kittest.JSON(now))
			f.state = now
		}
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		fs.s.T.Errorf("received\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// applyEvents applies the pending events and returns their ops.
func (fs *followers) applyEvents(f *follower) (ops []string) {
	fs.s.T.Helper()
	for _, e := range f.queue.Next() {
		ops = append(ops, f.apply(fs.s.T, e))
	}
	return ops
}

func (f *follower) apply(t testing.TB, e map[string]any) string {
	t.Helper()
	b := e["bot"].(map[string]any)
	id := fmt.Sprint(b["user_id"])
	had := f.state[id] != nil
	switch op := e["op"]; {
	case op == "add" && !had:
		f.state[id] = b
		return "add"
	case op == "delete" && had && len(b) == 1:
		delete(f.state, id)
		return "delete"
	case op == "update" && had && len(b) == 2:
		maps.Copy(f.state[id], b)
		delete(b, "user_id")
		for property := range b {
			return property
		}
	}
	t.Errorf("%s cannot apply %v", f.who, e)
	return "?"
}
