package events_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// shouts is a module with events for these tests.
var shouts = kit.Define("shouts", "Tells everybody, or one.", kit.None{},
	func(_ kit.None, n shoutNeeds) (kit.Parts, error) {
		return kit.Parts{
			Endpoints: []kit.Endpoint{kit.POST("/shout", kit.Users, n.shout, "Shouts.").Causing("shout")},
			Events:    []kit.AnyEvent{shouted.Any(), whispered.Any()},
			Register: []kit.Section{kit.Register("shout",
				func(context.Context, kit.Actor, event.Client) (map[string]string, error) {
					return map[string]string{"last_shout": "none"}, nil
				}).Shows(struct {
				Last string `json:"last_shout"`
			}{})},
		}, nil
	})

type shoutNeeds struct {
	fx.In
	Work ports.UnitOfWork
	Log  ports.EventLog
}

type shout struct {
	Text string `json:"text"`
}

var shouted = kit.Event[shout]("shout", "")

// whispered has a field that differs per receiver.
var whispered = kit.Event[shout]("whisper", "to").Personal(func(r event.Receiver, p *shout) (any, bool) {
	return map[string]any{"for": r.User.ID}, r.Addressed
}).Sends(struct {
	shout
	For user.ID `json:"for"`
}{})

func (n shoutNeeds) shout(ctx context.Context, a kit.Actor, in shout) (kit.None, error) {
	return kit.None{}, n.Work.Do(ctx, func(ctx context.Context) error {
		return n.Log.Append(ctx, shouted.To(a.Realm, event.Everyone(), in))
	})
}

func TestModule(t *testing.T) { kittest.Check(t, events.Module) }

// queue is a client with an event queue.
type queue struct{ *kittest.Queue }

func register(c *kittest.Client, params ...string) *queue { return &queue{c.Register(params...)} }

type got struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// next polls, returns the events as texts or types, and acknowledges them.
func (q *queue) next(t testing.TB, params ...string) []string {
	t.Helper()
	var body struct {
		Events []got `json:"events"`
	}
	q.Wait(params...).OK().JSON(&body)
	out := []string{}
	for _, e := range body.Events {
		if e.ID <= q.Last {
			t.Fatalf("id %d after %d", e.ID, q.Last)
		}
		q.Last = e.ID
		if e.Text == "" {
			e.Text = e.Type
		}
		out = append(out, e.Text)
	}
	return out
}

func wants(t testing.TB, have []string, want ...string) {
	t.Helper()
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Fatalf("got %q, want %q", have, want)
	}
}

func TestRegisterAndPoll(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, events.Module, shouts)
		alice := s.As("alice")
		q := register(alice, "event_types", `["shout"]`, "fetch_event_types", `["shout"]`, "apply_markdown", "true",
			"client_capabilities", `{"bulk_message_deletion":true}`, "idle_queue_timeout", `"mobile"`, "include_subscribers",
			"partial", "narrow", `[["channel","general"]]`)
		alice.Do("POST /register", "fetch_event_types", `["shout","muted_users"]`, "queue_lifespan_secs", "90", "event_types",
			"null").Is(200, `{"result":"success","msg":"",
			"queue_id":"*","last_event_id":"*","idle_queue_timeout_secs":90,"service_feature_level":496,"service_version":"12.0","service_merge_base":"12.0",
			"last_shout":"none","muted_users":[]}`)
		q.Poll().Is(200, `{"result":"success","msg":"","events":[],"queue_id":"`+q.ID+`"}`)
		alice.Do("POST /shout", "text", "<one>").OK()
		first := q.Wait().Is(200, `{"result":"success","msg":"","events":[{"id":"*","type":"shout","text":"<one>"}],`+
			`"queue_id":"*"}`)
		q.Wait().Is(200, first.Body) // until it is acknowledged
		wants(t, q.next(t), "<one>")
		wants(t, q.next(t, "dont_block", "true"))
		alice.Do("DELETE /events?queue_id="+q.ID).Is(200, `{"result":"success","msg":""}`)
		q.Wait().Is(400, `{"result":"error","msg":"Bad event queue ID: `+q.ID+`","code":"BAD_EVENT_QUEUE_ID","queue_id":"`+
			q.ID+`"}`)
		alice.Do("DELETE /events", "queue_id", q.ID).Error(400, "BAD_EVENT_QUEUE_ID", q.ID)
	})
}

func TestRefusals(t *testing.T) {
	s := kittest.Start(t, events.Module, shouts)
	alice, bob := register(s.As("alice")), s.As("bob")
	bob.Do("GET /events", "queue_id", alice.ID, "last_event_id", "-1").Is(400,
		`{"result":"error","msg":"Bad event queue ID: `+alice.ID+`","code":"BAD_EVENT_QUEUE_ID","queue_id":"`+alice.ID+`"}`)
	bob.Do("DELETE /events", "queue_id", alice.ID).Error(400, "BAD_EVENT_QUEUE_ID", "")
	bob.Do("GET /events", "last_event_id", "-1").Error(400, "BAD_REQUEST", "Missing 'queue_id' argument")
	bob.Do("GET /events", "queue_id", alice.ID).Error(400, "BAD_REQUEST", "Missing 'last_event_id' argument")
	alice.Do("GET /events", "queue_id", alice.ID, "last_event_id", strconv.FormatInt(alice.Last+1<<20, 10)).Error(400,
		"BAD_REQUEST", "was not in this queue")
	alice.Do("GET /events", "queue_id", alice.ID, "last_event_id", "0").Error(400, "BAD_REQUEST", "pruned")
	s.Anonymous().Do("POST /register").Error(401, "UNAUTHORIZED", "")
	s.As("guest").Do("POST /register", "all_public_streams", "true").Error(400, "BAD_REQUEST",
		"not authorized for this query")
	bob.Do("POST /register", "narrow", `[["has","link"]]`).Error(400, "BAD_REQUEST", "Operator has not supported.")
	bob.Do("POST /register", "client_capabilities", `{"x":"y"}`).Error(400, "BAD_REQUEST", "not a boolean")
	bob.Do("POST /register", "event_types", `"message"`).Error(400, "BAD_REQUEST", "event_types")
	bob.Do("POST /register", "include_subscribers", "perhaps").Error(400, "BAD_REQUEST", "include_subscribers")
	s.NoEvents()
}

// wait polls in the background.
func (q *queue) wait(t testing.TB) func() []string {
	done := make(chan []string, 1)
	go func() { done <- q.next(t) }()
	return func() []string {
		t.Helper()
		return testrun.Receive(t, done, "answer to the poll")
	}
}

func TestHeldPolls(t *testing.T) {
	s := kittest.Start(t, events.Module, shouts)
	alice, bob := register(s.As("alice"), "idle_queue_timeout", "mobile"), register(s.As("bob"))
	a, b := alice.wait(t), bob.wait(t)
	s.As("olga").Do("POST /shout", "text", "hear").OK()
	wants(t, a(), "hear")
	wants(t, b(), "hear")
	s.Do(func(ctx context.Context) error {
		return s.Ports.Log.Append(ctx, whispered.To(s.Realm, event.To(s.UserID("bob")), shout{"psst"}))
	})
	bob.Wait().Is(200, fmt.Sprintf(`{"result":"success","msg":"","queue_id":"*","events":[{"id":"*","type":"whisper",`+
		`"op":"to","text":"psst","for":%d}]}`, s.UserID("bob")))
	// Heartbeats are sent at fixed times, regardless of when the poll began.
	a = alice.wait(t)
	answered := make(chan []string, 1)
	go func() { answered <- a() }()
	kittest.Await(t, func() bool {
		s.Clock.Advance(5 * time.Second)
		s.RunJob("events.sweep")
		select {
		case all := <-answered:
			answered <- all
			return true
		default:
			return false
		}
	})
	wants(t, <-answered, "heartbeat")
}

func TestRestartEvent(t *testing.T) {
	s := kittest.Start(t, events.Module, shouts)
	q := register(s.As("alice"))
	s.As("alice").Do("POST /shout", "text", "x").OK()
	wants(t, q.next(t), "x")
	s.Restart()
	q.Wait().Is(200, fmt.Sprintf(`{"result":"success","msg":"","queue_id":"*","events":[{"id":"*","type":"restart","service_feature_level":496,
		"service_version":"12.0","service_merge_base":"12.0","server_generation":%d}]}`, s.Clock.Now().Unix()))
	s.As("alice").Do("POST /shout", "text", "y").OK()
	wants(t, q.next(t), "y") // delivered only once
}

func TestQueuesSurviveRestarts(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, events.Module, shouts)
		q := register(s.As("alice"), "event_types", `["shout"]`)
		quiet := register(s.As("bob"), "event_types", `["shout"]`, "idle_queue_timeout", "100")
		want := []string{}
		var have []string
		for i := range 12 {
			s.As("alice").Do("POST /shout", "text", fmt.Sprint(i)).OK()
			want = append(want, fmt.Sprint(i))
			switch i % 4 {
			case 1:
				have = append(have, q.next(t)...)
			case 2:
				s.RunJob("events.save")
				s.Restart()
			case 3:
				q.Poll() // the response is lost
				s.Restart()
			}
		}
		wants(t, append(have, q.next(t)...), want...)
		wants(t, quiet.next(t), want...)
		q.Do("GET /events", "queue_id", q.ID, "last_event_id", "-1").Error(400, "BAD_REQUEST", "pruned")
		s.Clock.Advance(5 * time.Minute)
		s.RunJob("events.sweep")
		s.RunJob("events.save")
		quiet.Poll().Error(400, "BAD_EVENT_QUEUE_ID", quiet.ID)
		wants(t, q.next(t, "dont_block", "true"))
		s.RunJob("events.save")
		s.Clock.Advance(8 * time.Minute)
		s.RunJob("events.expire")
		s.Restart()
		wants(t, q.next(t, "dont_block", "true"))
		s.Clock.Advance(13 * time.Minute)
		s.RunJob("events.expire")
		s.Restart()
		q.Poll().Error(400, "BAD_EVENT_QUEUE_ID", q.ID)
	})
}

// TestManyClients checks that clients that poll while others send receive all events once and in order.
func TestManyClients(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "http: {rate_limits: {enabled: false}}"}, events.Module, shouts)
	const texts = 40
	var running sync.WaitGroup
	results := make([][]string, 8)
	queues := make([]*queue, len(results))
	for i := range queues {
		queues[i] = register(s.As([]string{"alice", "bob", "olga", "mona"}[i%4]))
	}
	for i, q := range queues {
		running.Go(func() {
			for len(results[i]) < texts {
				results[i] = append(results[i], q.next(t)...)
			}
		})
	}
	for i := range texts {
		s.As("adam").Do("POST /shout", "text", fmt.Sprint(i)).OK()
	}
	running.Wait()
	for i, r := range results {
		for n, text := range r {
			if text != fmt.Sprint(n) {
				t.Fatalf("client %d got %q", i, r)
			}
		}
	}
}
