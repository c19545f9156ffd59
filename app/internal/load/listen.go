package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// stamp begins the content of messages. The time follows at which the message was to be sent.
const stamp = "load "

// listen registers all people and lets them poll until ctx ends. It returns once all have registered.
func (r *run) listen(ctx context.Context) {
	r.Progress("registering everybody")
	var ready sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for _, p := range r.people {
		ready.Go(func() {
			slots <- struct{}{}
			err := r.queueFor(ctx, p)
			<-slots
			if err != nil {
				r.results.add("poll", r.Clock.Now(), err)
				return
			}
			r.results.listeners.Add(1)
			r.connect(ctx, p)
		})
	}
	ready.Wait()
}

// queueFor registers a queue for the messages of a person.
func (r *run) queueFor(ctx context.Context, p *person) error {
	var got struct {
		Queue string `json:"queue_id"`
		Last  int64  `json:"last_event_id"`
	}
	err := p.call(ctx, p.calls, "POST /register", &got, "event_types", `["message"]`, "fetch_event_types", `["message"]`)
	p.queue, p.last = got.Queue, got.Last
	return err
}

// connect lets a person poll until ctx ends or disconnect is called.
func (r *run) connect(ctx context.Context, p *person) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	p.disconnect = func() { cancel(); <-ended }
	go func() { defer close(ended); defer cancel(); r.poll(ctx, p) }()
}

// poll receives events. It reconnects as clients do: after a random pause that grows.
func (r *run) poll(ctx context.Context, p *person) {
	pause := time.Second
	for ctx.Err() == nil {
		err := r.receive(ctx, p, "false")
		if err == nil {
			pause = time.Second
			continue
		}
		if ctx.Err() != nil {
			return
		}
		r.results.add("poll", r.Clock.Now(), err)
		if !r.sleepUntil(ctx, r.Clock.Now().Add(rand.N(pause))) {
			return
		}
		pause = min(2*pause, time.Minute)
		var refused *refusedError
		if errors.As(err, &refused) && refused.code == "BAD_EVENT_QUEUE_ID" {
			if err := r.queueFor(ctx, p); err != nil {
				r.results.add("register", r.Clock.Now(), err)
			}
		}
	}
}

// receive asks for events once, and records how late messages arrive.
func (r *run) receive(ctx context.Context, p *person, dontBlock string) error {
	var got struct {
		Events []struct {
			ID      int64
			Type    string
			Message struct{ Content string }
		}
	}
	err := p.call(ctx, p.polls, "GET /events", &got,
		"queue_id", p.queue, "last_event_id", text(p.last), "dont_block", dontBlock)
	if err != nil {
		return err
	}
	for _, e := range got.Events {
		p.last = max(p.last, e.ID)
		if at, ok := stamped(e.Message.Content); ok && e.Type == "message" && !at.Before(r.prepared) {
			r.results.deliver(at)
		}
	}
	return nil
}

// stamped returns the time in a message's content, which is HTML.
func stamped(content string) (time.Time, bool) {
	_, rest, found := strings.Cut(content, stamp)
	var nanos int64
	for i := 0; found && i < len(rest) && '0' <= rest[i] && rest[i] <= '9'; i++ {
		nanos = nanos*10 + int64(rest[i]-'0')
	}
	return time.Unix(0, nanos), nanos > 0
}

// storm closes all connections once half of the messages have been sent. Everybody returns within five seconds, or
// while the other half is sent.
func (r *run) storm(ctx context.Context) {
	half := time.Duration(float64(r.Messages) / r.Rate / 2 * float64(time.Second))
	at, within := r.began.Add(half), min(5*time.Second, half)
	if !r.sleepUntil(ctx, at) {
		return
	}
	r.Progress("closing all connections")
	r.each(func(p *person) {
		if p.disconnect != nil {
			p.disconnect()
		}
	})
	at = r.Clock.Now()
	for i, p := range r.people {
		due := at.Add(within * time.Duration(i) / time.Duration(len(r.people)))
		r.pending.Go(func() {
			if r.sleepUntil(ctx, due) {
				r.results.add("return", due, r.receive(ctx, p, "true"))
				r.connect(ctx, p)
			}
		})
	}
}

// each calls do for all people at the same time.
func (r *run) each(do func(*person)) {
	var all sync.WaitGroup
	for _, p := range r.people {
		all.Go(func() { do(p) })
	}
	all.Wait()
}
