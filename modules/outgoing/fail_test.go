package outgoing_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

const notices = `[["dm","notification-bot@stoa.invalid"]]`

func toldOf(r robot, why string) string {
	return fmt.Sprintf("Notification Bot/: Your bot @_**%s|%d** can't answer: its service %s.", r.name, r.id, why)
}

// A service that may be there again is called again, each time later, and given up at last; its owner hears of that, once in a while.
func TestRetries(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+inside)
		out := w.robot("alice", "out")
		status := func(codes ...int) {
			w.does(func(n int, rw http.ResponseWriter) {
				rw.WriteHeader(codes[min(n, len(codes))-1])
				fmt.Fprint(rw, `{"content":"there"}`)
			})
		}
		try := func(when string, want int) {
			t.Helper()
			w.RunJob("outgoing.call_1")
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.asked) != want {
				t.Errorf("%s: %d calls, want %d", when, len(w.asked), want)
			}
		}
		status(500, 429, 200)
		w.post("bob", "general", "@**out**")
		try("at once", 1)
		try("too early", 1)
		w.Clock.Advance(9 * time.Second)
		try("too early", 1)
		w.Clock.Advance(time.Second)
		try("after 10 seconds", 2)
		w.Clock.Advance(19 * time.Second)
		try("too early", 2)
		w.Restart()
		w.Clock.Advance(time.Second)
		try("after another 20", 3)
		w.is("the answer", w.newest("bob", general), "out/t: there")
		w.is("nothing to tell", w.newest("alice", notices), "")

		status(500)
		w.post("bob", "general", "@**out** again")
		for range 3 {
			w.RunJob("outgoing.call_1")
			w.Clock.Advance(time.Minute)
		}
		try("given up", 3)
		w.is("no answer", w.newest("bob", general), "Bob/t: @**out** again")
		w.is("alice hears", w.newest("alice", notices), toldOf(out, "answers with status 500"))
		w.is("bob hears nothing", w.newest("bob", notices), "")

		status(404)
		w.post("bob", "general", "@**out** once more")
		try("not again", 1)
		w.Clock.Advance(time.Hour)
		try("not again", 1)
		w.is("alice has peace", w.newest("alice", notices), toldOf(out, "answers with status 500"))
		w.post("bob", "general", "@**out** much later")
		try("not again", 2)
		w.is("alice hears again", w.newest("alice", notices), toldOf(out, "answers with status 404"))

		status(200)
		w.post("bob", "general", "@**out** and then the server is away")
		w.Clock.Advance(25 * time.Hour)
		try("too old", 0)
	})
}

// What is no answer is told to the owner, and what can't be answered is not asked again.
func TestBadAnswers(t *testing.T) {
	w := open(t, kittest.Memory, cheap+inside)
	out := w.robot("alice", "out")
	long := strings.Repeat("x", 15_000)
	for _, c := range []struct{ name, body, why, said string }{
		{"no JSON", "<html>", "answers with something else than the expected JSON", ""},
		{"huge", strings.Repeat("x", 20_001), "answers with too much", ""},
		{"long", `{"content":"` + long + `"}`, "", long[:10_000-len("\n[message truncated]")] + "\n[message truncated]"},
		{"not to be said", `{"content":"a\u0000b"}`, "answers what the bot may not say there", ""},
		{"nothing", ``, "", ""},
	} {
		w.Clock.Advance(2 * time.Hour)
		before := w.count("alice", notices)
		w.says(c.body)
		w.post("bob", "general", "@**out** "+c.name)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("%s: called with %d", c.name, len(got))
		}
		want := "Bob/t: @**out** " + c.name
		if c.said != "" {
			want = "out/t: " + c.said
		}
		w.is(c.name, w.newest("bob", general), want)
		if c.why != "" {
			before++
			w.is(c.name+": alice hears", w.newest("alice", notices), toldOf(out, c.why))
		}
		w.is(c.name+": notices", fmt.Sprint(w.count("alice", notices)), fmt.Sprint(before))
		w.none(c.name)
	}
	w.RestartWith(cheap + strings.Replace(inside, "timeout: 5s", "timeout: 50ms", 1))
	w.Clock.Advance(2 * time.Hour)
	stop := make(chan struct{})
	defer close(stop)
	w.does(func(_ int, rw http.ResponseWriter) {
		_ = http.NewResponseController(rw).Flush()
		<-stop
	})
	w.post("bob", "general", "@**out** slow")
	for range 3 {
		w.RunJob("outgoing.call_1")
		w.Clock.Advance(time.Minute)
	}
	if got := w.calls(); len(got) != 3 {
		t.Errorf("slow: called %d times", len(got))
	}
	w.is("slow: alice hears", w.newest("alice", notices), toldOf(out, "can't be reached"))
}

// Addresses inside are called only where the config lets them: not by number, not by name, and not by a redirect. A name inside is told
// of as one that there is not.
func TestInside(t *testing.T) {
	var log kittest.Lines
	w := openWith(t, kittest.Options{DatabaseURL: kittest.Memory, Config: cheap, Log: slog.New(slog.NewTextHandler(&log, nil))})
	out := w.robot("alice", "out")
	port := w.url[strings.LastIndex(w.url, ":"):]
	const forbidden, unreached = "is at an address that this server does not call", "can't be reached"
	for i, c := range []struct{ address, why, logged string }{
		{w.url, forbidden, ""},
		{"http://169.254.169.254/latest/meta-data", forbidden, ""},
		{"http://[::1]" + port, forbidden, ""},
		{"http://127.0.0.1:22", forbidden, ""},
		{"http://localhost" + port, unreached, "not public"},
		{"http://nobody.invalid" + port, unreached, "lookup nobody.invalid"},
	} {
		w.Clock.Advance(2 * time.Hour)
		w.As("alice").Do(fmt.Sprintf("PATCH /bots/%d", out.id), "service_payload_url", fmt.Sprintf("%q", c.address)).OK()
		w.post("bob", "general", "@**out**")
		w.none(c.address)
		if c.why == unreached {
			w.is(c.address+": later", fmt.Sprint(w.count("alice", notices)), fmt.Sprint(i))
			for range 2 {
				w.Clock.Advance(time.Minute)
				w.none(c.address)
			}
		}
		w.is(c.address, w.newest("alice", notices), toldOf(out, c.why))
		w.is(c.address, fmt.Sprint(w.count("alice", notices)), fmt.Sprint(i+1))
		if !strings.Contains(log.String(), c.logged) {
			t.Errorf("%s: %q is not in the log", c.address, c.logged)
		}
	}
	w.RestartWith(cheap + inside)
	w.Clock.Advance(2 * time.Hour)
	w.As("alice").Do(fmt.Sprintf("PATCH /bots/%d", out.id), "service_payload_url", fmt.Sprintf("%q", w.url)).OK()
	w.does(func(_ int, rw http.ResponseWriter) {
		rw.Header().Set("Location", "http://127.0.0.1"+port+"/inside")
		rw.WriteHeader(http.StatusTemporaryRedirect)
	})
	w.post("bob", "general", "@**out**")
	if got := w.calls(); len(got) != 1 {
		t.Errorf("called with %v", got)
	}
	w.is("redirect", w.newest("alice", notices), toldOf(out, "answers with status 307"))
}

// Whatever stops in between, a call is made again, and answered once.
func TestInterrupted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+inside)
		w.robot("alice", "out")
		w.says(`{"content":"after a restart"}`)
		w.post("bob", "general", "@**out**")
		w.Restart()
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		w.is("before the call", w.newest("bob", general), "out/t: after a restart")

		ctx, cancel := context.WithCancel(t.Context()) // the server stops while the service is asked
		w.does(func(_ int, rw http.ResponseWriter) {
			cancel()
			fmt.Fprint(rw, `{"content":"lost"}`)
		})
		w.post("bob", "general", "@**out** 2")
		if err := w.App.RunJob(ctx, "outgoing.call_1"); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped with %v", err)
		}
		w.Restart()
		w.is("stopped", w.newest("bob", general), "Bob/t: @**out** 2")
		w.says(`{"content":"at once again"}`)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		w.is("then", w.newest("bob", general), "out/t: at once again")

		second := w.Another() // the first node is thought to be lost
		w.does(func(n int, rw http.ResponseWriter) {
			if n == 1 {
				second.RunJob("outgoing.call_1") // not yet
				w.Clock.Advance(11 * time.Minute)
				second.RunJob("outgoing.call_1")
			}
			fmt.Fprintf(rw, `{"content":"call %d"}`, n)
		})
		w.post("bob", "general", "@**out** 3")
		if got := w.calls(); len(got) != 2 {
			t.Errorf("called %d times", len(got))
		}
		w.is("answered", w.newest("bob", general), "out/t: call 2")
		w.none("answered")
	})
}

// A bot with a slow service keeps nobody from others, and what waits for it is bounded: its owner comes to know.
func TestOthersNeedNotWait(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, inner("at_once: 4, per_bot: 1, max_waiting: 3"))
		out := w.robot("alice", "out")
		w.robot("alice", "quick")
		for range 7 {
			w.direct("bob", "slow", out.id)
		}
		w.post("bob", "general", "@**quick** hi")
		w.does(func(n int, rw http.ResponseWriter) {
			if n == 1 {
				w.RunJob("outgoing.call_2")
				w.is("meanwhile", w.newest("bob", general), "quick/t: call 2")
			}
			fmt.Fprintf(rw, `{"content":"call %d"}`, n)
		})
		if got := w.calls(); len(got) != 4 {
			t.Errorf("called %d times", len(got))
		}
		w.is("at last", w.newest("bob", with(out.id)), "out/: call 4")
		w.is("alice hears", w.newest("alice", notices), toldOf(out, dropped))
		w.is("once", fmt.Sprint(w.count("alice", notices)), "1")
		for range 3 { // there is room again
			w.direct("bob", "slow", out.id)
		}
		if got := w.calls(); len(got) != 3 {
			t.Errorf("called %d times", len(got))
		}
	})
}
