// Package load generates load for a server, with which anyone can find out how many people a machine carries: people
// who send, read, lose their connection, or come to work at the same time. It is a client like others, and knows only
// the API.
//
// Operations begin at fixed times, whether or not earlier ones have ended, and their latency counts from that time:
// a server that stops for a second is charged for all requests that came in during it.
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/stoachat/stoa/ports"
)

// Options say what to do to which server.
type Options struct {
	Scenario string // one of Scenarios
	Site     string // address of the organization
	Email    string // of an owner, who creates channels and people
	Key      string // API key of the owner
	People   string // file with the people of an earlier run, which this run adds to
	Users    int    // people
	Channels int    // to which all people are subscribed
	Rate     float64
	Messages int    // how many messages are sent in all
	Metrics  string // address of /metrics; "": CPU and memory are not measured
	Token    string // of /metrics
	Progress func(string)
	Clock    ports.Clock // the system's
}

// Scenarios are the names of the scenarios, with what they do.
var Scenarios = [][2]string{
	{"send", "people send messages to channels and poll for events"},
	{"mix", "for each message, people also switch between conversations, scroll, search, react, edit and save drafts"},
	{"storm", "all people lose their connection and return within five seconds, while messages are sent"},
	{"morning", "all people register in a minute, while messages are sent"},
}

// grace is how long Run waits for requests that are still running, and messages still on their way, at the end.
const grace = 30 * time.Second

// run is the state of a run.
type run struct {
	Options

	people   []*person
	channels []int64
	results  *results
	prepared time.Time // after this, what arrives has been sent by this run
	began    time.Time
	pending  sync.WaitGroup

	mu   sync.Mutex
	sent []sentMessage // the latest
}

// sentMessage is a message that can be reacted to and edited.
type sentMessage struct {
	id     int64
	sender *person
}

// Run generates load and returns what it has measured. It fails if the server cannot be prepared; requests that fail
// later are counted.
func Run(ctx context.Context, o Options) (*Report, error) {
	if !slices.ContainsFunc(Scenarios, func(s [2]string) bool { return s[0] == o.Scenario }) {
		return nil, fmt.Errorf("there is no scenario %q", o.Scenario)
	}
	r := &run{Options: o, results: newResults(o.Clock)}
	if _, err := r.measure(ctx); err != nil {
		return nil, err // rather than after the preparation
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	r.prepared = r.Clock.Now()
	polls, stop := context.WithCancel(ctx)
	defer stop()
	r.listen(polls)
	before, err := r.measure(ctx)
	if err != nil {
		return nil, err
	}
	r.began = r.Clock.Now()
	r.play(ctx, polls)
	r.await(ctx)
	took := r.Clock.Now().Sub(r.began)
	after, err := r.measure(ctx)
	if err != nil {
		return nil, err
	}
	stop()
	return r.results.report(r.Options, took, before, after), ctx.Err()
}

// play starts all operations of the scenario, and returns once the last one has begun.
func (r *run) play(ctx, polls context.Context) {
	var plays sync.WaitGroup
	begin := func(name string, n int, rate float64, do func(context.Context, *person) error) {
		plays.Go(func() { r.pace(ctx, name, n, rate, do) })
	}
	begin("send", r.Messages, r.Rate, r.send)
	length := float64(r.Messages) / r.Rate // seconds
	switch r.Scenario {
	case "mix":
		for _, o := range mixed {
			begin(o.name, int(o.each*float64(r.Messages)), o.each*r.Rate, func(ctx context.Context, p *person) error {
				return o.do(r, ctx, p)
			})
		}
		perSecond := float64(len(r.people)) / presenceInterval.Seconds()
		begin("presence", int(perSecond*length), perSecond, r.presence)
	case "storm":
		plays.Go(func() { r.storm(polls) })
	case "morning":
		begin("register", len(r.people), float64(len(r.people))/min(length, time.Minute.Seconds()), r.register)
	}
	plays.Wait()
}

// pace begins n operations at a fixed rate, each by a random person.
func (r *run) pace(ctx context.Context, name string, n int, rate float64, do func(context.Context, *person) error) {
	for i := range n {
		due := r.began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if !r.sleepUntil(ctx, due) {
			return
		}
		p := r.people[(i+rand.IntN(len(r.people)))%len(r.people)]
		r.pending.Go(func() { r.results.add(name, due, do(ctx, p)) })
		if name == "send" && i%max(1, n/20) == 0 {
			r.Progress(fmt.Sprintf("%d of %d messages", i, n))
		}
	}
}

// sleepUntil waits until a time, or until ctx ends; then it returns false.
func (r *run) sleepUntil(ctx context.Context, t time.Time) bool {
	return sleep(ctx, t.Sub(r.Clock.Now()))
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// await waits until the operations have ended, and what was sent has been delivered.
func (r *run) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	ended := make(chan struct{})
	go func() { r.pending.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
		return
	}
	r.results.awaitDelivered(ctx)
}

// remember keeps a message for operations that need one.
func (r *run) remember(m sentMessage) {
	const latest = 256
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sent) == latest {
		r.sent[rand.IntN(latest)] = m
		return
	}
	r.sent = append(r.sent, m)
}

// remembered returns a message that was sent.
func (r *run) remembered() (sentMessage, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sent) == 0 {
		return sentMessage{}, false
	}
	return r.sent[rand.IntN(len(r.sent))], true
}
