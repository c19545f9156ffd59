package outgoing_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/webhook"
)

const notices = `[["dm","notification-bot@stoa.invalid"]]`

var link = regexp.MustCompile(`\(/#narrow/[^)]*/near/\d+\)`)

// lastNotice returns the newest notice to an owner, with "link" in place of the message's URL.
func (w *server) lastNotice(who string) string {
	w.T.Helper()
	return link.ReplaceAllString(w.newest(who, notices), "(link)")
}

// noticeContains checks that the newest notice to alice contains a URL.
func (w *server) noticeContains(address string) {
	w.T.Helper()
	if got := w.newest("alice", notices); !strings.Contains(got, address) {
		w.T.Errorf("%s is missing from %s", address, got)
	}
}

// noticeOf returns the expected notice about a bot, with each detail in a code block.
func noticeOf(r robot, why string, detail ...string) string {
	text := fmt.Sprintf("Notification Bot/: Your bot @_**%s|%d** could not answer [a message](link). %s", r.name, r.id,
		why)
	for _, d := range detail {
		text += "\n\n```text\n" + d + "\n```"
	}
	return text
}

// Calls to an unreachable service are retried three times with growing delays. HTTP errors are not retried.
func TestRetries(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, withConfig("at_once: 2, per_bot: 1, warn_every: 1h"))
		out := w.robot("alice", "out")
		hangUp := func(_ int, rw http.ResponseWriter) {
			c, _, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.Close()
		}
		status := func(code int) {
			w.respondWith(func(_ int, rw http.ResponseWriter) {
				rw.WriteHeader(code)
				fmt.Fprint(rw, `{"content":"there"}`)
			})
		}
		try := func(when string, want int) {
			t.Helper()
			w.RunJob("outgoing.call_1")
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.requests) != want {
				t.Errorf("%s: %d calls, want %d", when, len(w.requests), want)
			}
		}
		w.respondWith(func(n int, rw http.ResponseWriter) {
			if n < 4 {
				hangUp(n, rw)
				return
			}
			fmt.Fprint(rw, `{"content":"there"}`)
		})
		w.post("bob", "general", "@**out**")
		try("at once", 1)
		for i, wait := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
			w.Clock.Advance(wait - time.Second)
			try("too early", i+1)
			w.Restart()
			w.Clock.Advance(time.Second)
			try(fmt.Sprint("after another ", wait), i+2)
		}
		w.equal("the answer", w.newest("bob", general), "out/t: there")
		w.equal("no notice", w.lastNotice("alice"), "")

		w.respondWith(hangUp)
		id := w.post("bob", "general", "@**out** again")
		for range 5 {
			w.RunJob("outgoing.call_1")
			w.Clock.Advance(time.Minute)
		}
		try("after the last attempt", 4)
		w.equal("the conversation", w.newest("bob", general), "out/t: Failure! The service cannot be reached.")
		w.equal("the owner", w.lastNotice("alice"), noticeOf(out, "The service cannot be reached."))
		w.equal("others", w.lastNotice("bob"), "")
		w.noticeContains(fmt.Sprintf("(/#narrow/channel/%d-general/topic/t/near/%d)", w.ChannelID("general"), id))

		for _, code := range []int{404, 408, 429, 500, 503} {
			status(code)
			w.post("bob", "general", fmt.Sprint("@**out** ", code))
			try("once", 1)
			w.Clock.Advance(time.Minute)
			try("no retry", 1)
			w.equal("the conversation", w.newest("bob", general),
				fmt.Sprintf("out/t: Failure! The service answered with status %d.", code))
		}
		w.equal("one notice within an hour", fmt.Sprint(w.count("alice", notices)), "1")
		w.Clock.Advance(time.Hour)
		bob := int64(w.UserID("bob"))
		id = w.direct("bob", "psst", out.id)
		try("directly", 2)
		w.equal("the conversation", w.newest("bob", with(out.id)), "out/: Failure! The service answered with status 503.")
		w.equal("the owner", w.lastNotice("alice"),
			noticeOf(out, "The service answered with status 503.", `{"content":"there"}`))
		w.noticeContains(fmt.Sprintf("(/#narrow/dm/%d,%d-dm/near/%d)", bob, out.id, id))

		status(200)
		w.post("bob", "general", "@**out** and then the server is away")
		w.Clock.Advance(25 * time.Hour)
		try("too old", 0)
	})
}

// For an invalid response the bot posts an error, and its owner sees the response as plain text without mentions or
// links.
func TestBadAnswers(t *testing.T) {
	w := open(t, kittest.Memory, cheap+allowInternal)
	out := w.robot("alice", "out")
	const unsendable = "The service's answer could not be sent."
	long := strings.Repeat("x", 15_000)
	for _, c := range []struct {
		name, body, why string
		detail          []string
		said            string
	}{
		{"no JSON", "<html> @**alice**", "The service's answer is not valid JSON.", []string{"<html> @**alice**"}, ""},
		{"no object", `["x"]`, "The service's answer is not a JSON object.", []string{`["x"]`}, ""},
		{"huge", strings.Repeat("x", 20_001), "The service's answer is too large.", nil, ""},
		{"long", `{"content":"` + long + `"}`, "", nil, long[:10_000-len("\n[message truncated]")] + "\n[message truncated]"},
		{"unsendable", `{"content":"a\u0000b"}`, unsendable, []string{"Message must not contain null bytes"}, ""},
		{"no widgets", `{"content":"a","widget_content":"{}"}`, unsendable,
			[]string{"Widgets: not available in this organization"}, ""},
		{"old name", `{"response_string":"old"}`, "", nil, "old"},
		{"bare", `""`, "", nil, ""},
		{"nothing", ``, "", nil, ""},
	} {
		w.Clock.Advance(2 * time.Hour)
		before := w.count("alice", notices)
		w.respond(c.body)
		w.post("bob", "general", "@**out** "+c.name)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("%s: called with %d", c.name, len(got))
		}
		want := "Bob/t: @**out** " + c.name
		switch {
		case c.said != "":
			want = "out/t: " + c.said
		case c.why != "":
			want = "out/t: Failure! " + c.why
		}
		w.equal(c.name, w.newest("bob", general), want)
		if c.why != "" {
			before++
			w.equal(c.name+": the owner", w.lastNotice("alice"), noticeOf(out, c.why, c.detail...))
		}
		w.equal(c.name+": notices", fmt.Sprint(w.count("alice", notices)), fmt.Sprint(before))
		w.expectNoCalls(c.name)
	}
	w.equal("mentions of alice", fmt.Sprint(w.count("alice", `[["is","mentioned"]]`)), "0")
	w.RestartWith(cheap + strings.Replace(allowInternal, "timeout: 5s", "timeout: 50ms", 1))
	w.Clock.Advance(2 * time.Hour)
	stop := make(chan struct{})
	defer close(stop)
	w.respondWith(func(_ int, rw http.ResponseWriter) {
		_ = http.NewResponseController(rw).Flush()
		<-stop
	})
	w.post("bob", "general", "@**out** slow")
	for range 4 {
		w.RunJob("outgoing.call_1")
		w.Clock.Advance(time.Minute)
	}
	if got := w.calls(); len(got) != 4 {
		t.Errorf("slow: called %d times", len(got))
	}
	w.equal("slow", w.newest("bob", general), "out/t: Failure! The service did not answer in time.")
	w.equal("slow: the owner", w.lastNotice("alice"), noticeOf(out, "The service did not answer in time."))
}

// Internal addresses are called only if the configuration permits them, whether given as an IP address, by name or in a
// redirect. The owner gets the same notice for the name of an internal host and for a name that does not exist.
func TestInternalAddresses(t *testing.T) {
	var log kittest.Lines
	w := openWith(t, kittest.Options{DatabaseURL: kittest.Memory, Config: cheap,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	out := w.robot("alice", "out")
	port := w.url[strings.LastIndex(w.url, ":"):]
	const forbidden, unreached = "This server does not allow calls to the address of the service.",
		"The service cannot be reached."
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
		w.expectNoCalls(c.address)
		if c.why == unreached {
			w.equal(c.address+": later", fmt.Sprint(w.count("alice", notices)), fmt.Sprint(i))
			for range 3 {
				w.Clock.Advance(time.Minute)
				w.expectNoCalls(c.address)
			}
		}
		w.equal(c.address, w.newest("bob", general), "out/t: Failure! "+c.why)
		notice := noticeOf(out, c.why)
		if c.why == forbidden {
			notice += "\n\n```text\n" + webhook.ErrForbidden.Detail + "\n```"
		}
		w.equal(c.address, w.lastNotice("alice"), notice)
		w.equal(c.address, fmt.Sprint(w.count("alice", notices)), fmt.Sprint(i+1))
		if !strings.Contains(log.String(), c.logged) {
			t.Errorf("%s: %q is missing from the log", c.address, c.logged)
		}
	}
	w.RestartWith(cheap + allowInternal)
	w.Clock.Advance(2 * time.Hour)
	w.As("alice").Do(fmt.Sprintf("PATCH /bots/%d", out.id), "service_payload_url", fmt.Sprintf("%q", w.url)).OK()
	w.respondWith(func(_ int, rw http.ResponseWriter) {
		rw.Header().Set("Location", "http://127.0.0.1"+port+"/inside")
		rw.WriteHeader(http.StatusTemporaryRedirect)
	})
	w.post("bob", "general", "@**out**")
	if got := w.calls(); len(got) != 1 {
		t.Errorf("called with %v", got)
	}
	w.equal("redirect", w.lastNotice("alice"), noticeOf(out, "The service answered with status 307."))
}

// A bot with a slow service does not delay others. When its queue is full, its owner is notified.
func TestSlowServiceDelaysNoOthers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, withConfig("at_once: 4, per_bot: 1, max_waiting: 3"))
		out := w.robot("alice", "out")
		w.robot("alice", "quick")
		for range 7 {
			w.direct("bob", "slow", out.id)
		}
		w.post("bob", "general", "@**quick** hi")
		w.respondWith(func(n int, rw http.ResponseWriter) {
			if n == 1 {
				w.RunJob("outgoing.call_2")
				w.equal("meanwhile", w.newest("bob", general), "quick/t: call 2")
			}
			fmt.Fprintf(rw, `{"content":"call %d"}`, n)
		})
		if got := w.calls(); len(got) != 4 {
			t.Errorf("called %d times", len(got))
		}
		w.equal("at last", w.newest("bob", with(out.id)), "out/: call 4")
		w.equal("the owner", w.lastNotice("alice"), noticeOf(out, dropped))
		w.equal("once", fmt.Sprint(w.count("alice", notices)), "1")
		for range 3 { // there is room again
			w.direct("bob", "slow", out.id)
		}
		if got := w.calls(); len(got) != 3 {
			t.Errorf("called %d times", len(got))
		}
	})
}
