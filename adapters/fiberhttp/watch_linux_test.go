package fiberhttp

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

func (s *site) watched() int {
	w := s.server.polls.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.callbacks)
}

func TestPollOfDisconnectedClient(t *testing.T) { inBothForms(t, testPollOfDisconnectedClient) }

func testPollOfDisconnectedClient(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, "")}, unlimited)
	for range 20 {
		c, _ := s.dial()
		send(t, c, getEvents)
		testrun.Receive(t, q.held, "held poll")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		testrun.Receive(t, q.gone, "call of Gone")
	}
	q.wake() // too late and harmless
	testrun.Await(t, "everything forgotten", func() bool {
		s.server.polls.mu.Lock()
		defer s.server.polls.mu.Unlock()
		return len(s.server.polls.held) == 0 && s.watched() == 0
	})
}

// If a client disconnects while its poll is being answered, the poll does not wait again.
func TestDisconnectDuringAnswer(t *testing.T) { inBothForms(t, testDisconnectDuringAnswer) }

func testDisconnectDuringAnswer(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	answering, gate := make(chan struct{}), make(chan struct{})
	poll := func(ctx context.Context, a kit.Actor, n kit.None) (*kit.Wait, error) {
		w, err := q.poll(ctx, a, n)
		w.Result = func(context.Context) (any, error) {
			answering <- struct{}{}
			<-gate
			return q.poll(ctx, a, n)
		}
		return w, err
	}
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, poll, "")}, unlimited)
	c, _ := s.dial()
	send(t, c, getEvents)
	testrun.Receive(t, q.held, "held poll")
	q.wake()
	testrun.Receive(t, answering, "answer")
	_ = c.Close()
	testrun.Await(t, "noticed", func() bool { return s.watched() == 0 })
	gate <- struct{}{}
	testrun.Receive(t, q.gone, "call of Gone")
}
