package events

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// note is an event whose log entry is complete. The content of text is loaded at delivery, as for messages.
type note struct {
	Text string `json:"text"`
}

type text struct {
	ID      int64      `json:"id_of_text"`
	Channel channel.ID `json:"channel"`
	Queue   string     `json:"queue"`
	read    *string
}

type textWire struct {
	Channel channel.ID `json:"channel"`
	Text    string     `json:"content"`
}

// textOwn is comparable, like the personal part of a message event.
type textOwn struct {
	Flags noFlags `json:"flags"`
	Local string  `json:"local_message_id,omitempty"`
}

type noFlags struct{}

func (noFlags) MarshalJSON() ([]byte, error) { return []byte("[]"), nil }

var noteEvent = kit.Event[note]("note", "set")

// counts counts how often content was loaded and encoded.
type counts struct{ late, shaped atomic.Int64 }

func texts(w *fakeKernel, n *counts) kit.EventType[text] {
	return kit.Event[text]("message", "").
		Late(func(_ context.Context, _ *directory.View, all []*text) error {
			n.late.Add(1)
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, p := range all {
				if s, ok := w.texts[p.ID]; ok {
					p.read = &s
				}
			}
			return nil
		}).
		Shape(func(_ context.Context, _ *directory.View, c event.Client, p *text) (any, bool) {
			n.shaped.Add(1)
			if p.read == nil {
				return nil, false
			}
			if c.ApplyMarkdown {
				return textWire{p.Channel, "<p>" + *p.read + "</p>"}, true
			}
			return textWire{p.Channel, *p.read}, true
		}).
		Personal(func(r event.Receiver, p *text) (any, bool) {
			c := r.Head.Channel(p.Channel)
			if p.read == nil || !permission.Reads(r.Head, c, r.User) || !r.Addressed && c.Private {
				return nil, false
			}
			if len(r.Queue.Narrow) > 0 && string(r.Queue.Narrow[0].Operand) != `"`+c.Name+`"` {
				return nil, false
			}
			own := textOwn{}
			if r.Queue.ID == p.Queue {
				own.Local = "echo"
			}
			return own, true
		}).BeyondAudience()
}

// client is a device with one queue.
type client struct {
	t     testing.TB
	n     *node
	actor kit.Actor
	queue string
	last  int64
	reg   map[string]any
}

func (n *node) client(t testing.TB, u user.ID, in registerReq) *client {
	t.Helper()
	c := &client{t: t, n: n, actor: kit.Actor{Realm: 1, User: u, Key: "k", Client: "test"}}
	res, err := n.register(t.Context(), c.actor, in)
	if err != nil {
		t.Fatalf("register: %v", err)
	}
	c.reg, c.queue, c.last = res, res["queue_id"].(string), int64(res["last_event_id"].(event.ID))
	return c
}

// on returns the same client connected to another node.
func (c *client) on(n *node) *client { d := *c; d.n = n; return &d }

type seen struct {
	ID    int64    `json:"id"`
	Type  string   `json:"type"`
	Op    string   `json:"op"`
	Text  string   `json:"text"`
	Body  string   `json:"content"`
	Flags []string `json:"flags"`
	Local string   `json:"local_message_id"`
}

// pollFrom polls from last.
func (c *client) pollFrom(last int64, dontBlock bool) (any, error) {
	return c.n.poll(c.t.Context(), c.actor, pollReq{QueueID: &c.queue, LastEventID: &last, DontBlock: &dontBlock})
}

// poll returns the pending events without acknowledging them.
func (c *client) poll() []seen {
	c.t.Helper()
	res, err := c.pollFrom(c.last, true)
	if err != nil {
		c.t.Fatalf("poll: %v", err)
	}
	return c.read(res)
}

func (c *client) read(res any) []seen {
	c.t.Helper()
	r, ok := res.(pollRes)
	if !ok || r.QueueID != c.queue {
		c.t.Fatalf("got %T %v", res, res)
	}
	all := []seen{}
	if err := json.Unmarshal(r.Events, &all); err != nil {
		c.t.Fatalf("%v: %s", err, r.Events)
	}
	before := int64(-1)
	for _, e := range all {
		if e.ID <= before {
			c.t.Fatalf("ids do not increase: %s", r.Events)
		}
		before = e.ID
	}
	return all
}

// next polls and acknowledges the returned events.
func (c *client) next() []seen {
	c.t.Helper()
	all := c.poll()
	c.acknowledge(all)
	return all
}

func (c *client) acknowledge(all []seen) {
	if len(all) > 0 {
		c.last = all[len(all)-1].ID
	}
}

// heldPoll is a waiting poll.
type heldPoll struct {
	c     *client
	wait  *kit.Wait
	ready atomic.Int64
}

func (c *client) hold() *heldPoll {
	c.t.Helper()
	res, err := c.pollFrom(c.last, false)
	if err != nil {
		c.t.Fatalf("poll: %v", err)
	}
	w, ok := res.(*kit.Wait)
	if !ok {
		c.t.Fatalf("answered immediately: %v", res)
	}
	h := &heldPoll{c: c}
	h.begin(w)
	return h
}

func (h *heldPoll) begin(w *kit.Wait) {
	h.wait = w
	h.ready.Store(0)
	w.Notify(func() { h.ready.Add(1) })
}

// expectHeld reports whether the poll is still held. As in the HTTP server, a poll that was woken without events is
// held again.
func (h *heldPoll) expectHeld() bool {
	h.c.t.Helper()
	for h.ready.Load() > 0 {
		res, err := h.wait.Result(h.c.t.Context())
		w, ok := res.(*kit.Wait)
		if err != nil || !ok {
			h.c.t.Fatalf("answered: %v %v", res, err)
		}
		h.begin(w)
	}
	return true
}

// answer returns the events in the response to a woken poll.
func (h *heldPoll) answer() []seen {
	h.c.t.Helper()
	if n := h.ready.Load(); n != 1 {
		h.c.t.Fatalf("ready was called %d times", n)
	}
	res, err := h.wait.Result(h.c.t.Context())
	if err != nil {
		h.c.t.Fatalf("answer: %v", err)
	}
	all := h.c.read(res)
	h.c.acknowledge(all)
	return all
}

func (h *heldPoll) refused(code errs.Code) {
	h.c.t.Helper()
	if h.ready.Load() != 1 {
		h.c.t.Fatal("still waits")
	}
	res, err := h.wait.Result(h.c.t.Context())
	if !errs.Is(err, code) {
		h.c.t.Fatalf("got %v, %v; want %s", res, err, code)
	}
}

func wantTexts(t testing.TB, got []seen, want ...string) {
	t.Helper()
	var have []string
	for _, e := range got {
		switch e.Type {
		case "note":
			have = append(have, e.Text)
		case "message":
			have = append(have, e.Body)
		default:
			have = append(have, e.Type)
		}
	}
	if !slices.Equal(have, want) {
		t.Fatalf("got %q, want %q", have, want)
	}
}

func wantCode(t testing.TB, err error, code errs.Code, extra string, value any) {
	t.Helper()
	var e *errs.Error
	if !errs.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
	errors.As(err, &e)
	if extra != "" && e.Extra[extra] != value {
		t.Fatalf("%s is %v, want %v", extra, e.Extra[extra], value)
	}
	if extra == "" && len(e.Extra) > 0 {
		t.Fatalf("extra fields %v", e.Extra)
	}
}

func notes(to event.Audience, all ...string) []event.Event {
	var out []event.Event
	for _, s := range all {
		out = append(out, noteEvent.To(1, to, note{s}))
	}
	return out
}
