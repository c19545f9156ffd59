package outgoing_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// An interrupted call is repeated, and answered once.
func TestInterrupted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+allowInternal)
		w.robot("alice", "out")
		w.respond(`{"content":"after a restart"}`)
		w.post("bob", "general", "@**out**")
		w.Restart()
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		w.equal("before the call", w.newest("bob", general), "out/t: after a restart")

		ctx, cancel := context.WithCancel(t.Context()) // the server stops during the call
		w.respondWith(func(_ int, rw http.ResponseWriter) {
			cancel()
			fmt.Fprint(rw, `{"content":"lost"}`)
		})
		w.post("bob", "general", "@**out** 2")
		if err := w.App.RunJob(ctx, "outgoing.call_1"); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped with %v", err)
		}
		w.Restart()
		w.equal("stopped", w.newest("bob", general), "Bob/t: @**out** 2")
		w.respond(`{"content":"at once again"}`)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		w.equal("then", w.newest("bob", general), "out/t: at once again")

		second := w.Another() // the first node seems to have crashed
		w.respondWith(func(n int, rw http.ResponseWriter) {
			if n == 1 {
				w.Clock.Advance(8 * time.Second)
				second.Renew()
				second.RunJob("outgoing.call_1") // the first node may still live
				w.Clock.Advance(time.Second)
				second.Renew()
				second.RunJob("outgoing.call_1")
			}
			fmt.Fprintf(rw, `{"content":"call %d"}`, n)
		})
		w.post("bob", "general", "@**out** 3")
		if got := w.calls(); len(got) != 2 {
			t.Errorf("called %d times", len(got))
		}
		w.equal("answered", w.newest("bob", general), "out/t: call 2")
		w.expectNoCalls("answered")
	})
}
