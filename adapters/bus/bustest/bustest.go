// Package bustest contains the contract test for ports.Bus.
package bustest

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/ports"
)

// Listener listens at a bus until the test ends.
type Listener struct {
	t     testing.TB
	heard chan string
	ended chan error
}

// Listen returns once the bus says that texts arrive.
func Listen(t testing.TB, b ports.Bus) *Listener {
	t.Helper()
	l := &Listener{t: t, heard: make(chan string, 1000), ended: make(chan error, 1)}
	ready := make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.ended <- b.Listen(ctx, func() { close(ready) }, func(text string) { l.heard <- text })
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	select {
	case <-ready:
	case err := <-l.ended:
		t.Fatal(err)
	}
	return l
}

// Hears waits for texts in this order.
func (l *Listener) Hears(want ...string) {
	l.t.Helper()
	for _, text := range want {
		select {
		case got := <-l.heard:
			if got != text {
				l.t.Errorf("heard %.100q, want %.100q", got, text)
			}
		case err := <-l.ended:
			l.t.Fatal(err)
		}
	}
}

// Ends waits until the bus has noticed that what others send no longer arrives.
func (l *Listener) Ends() {
	l.t.Helper()
	if err := <-l.ended; err == nil {
		l.t.Error("listening ended without an error")
	}
}

// Contract checks a bus with working connections, which makes it deliver everything in order: with ends of two nodes,
// and interrupt, which breaks the connections of both and lets them connect again.
func Contract(t *testing.T, a, b ports.Bus, interrupt func()) {
	t.Helper()
	tell := func(b ports.Bus, text string) {
		t.Helper()
		if err := b.Tell(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	tell(a, "0:0") // nobody listens
	la, lb := Listen(t, a), Listen(t, b)
	long := strings.TrimSpace(strings.Repeat("7:12345 ", 990))
	tell(a, "1:2")
	tell(a, long)
	for _, l := range []*Listener{la, lb} {
		l.Hears("1:2", long)
	}
	interrupt()
	for _, l := range []*Listener{la, lb} {
		l.Ends()
	}
	lb = Listen(t, b)
	tell(a, "1:4")
	lb.Hears("1:4")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Listen(ended, func() {}, func(string) {}); err == nil {
		t.Error("listened in a context that has ended")
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	tell(b, "1:5")
	lb.Hears("1:5")
}
