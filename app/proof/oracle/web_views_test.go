package oracle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// webReload opens the web client and compares its views. It asks for servers and steps with lines of JSON on its
// standard output, and reads the responses from its standard input.
const webReload = "../../../modules/web/ui/test/reload/reload.mjs"

// TestViewsByEventsAreViewsByReload checks that whatever has happened, views of the web client show what they show
// after a reload. RELOAD_SEQUENCES is the number of views to compare, RELOAD_SEED the first seed; without either the
// test is skipped, since it needs the built client (make web) and Chromium.
func TestViewsByEventsAreViewsByReload(t *testing.T) {
	if os.Getenv("RELOAD_SEQUENCES") == "" && os.Getenv("RELOAD_SEED") == "" {
		t.Skip("neither RELOAD_SEQUENCES nor RELOAD_SEED is set")
	}
	b := openBrowser(t)
	for b.next() {
		t.Run(fmt.Sprintf("seed %d", b.asked.Seed), b.serve)
	}
}

// browser is the process that opens the web client.
type browser struct {
	t     testing.TB
	in    *json.Encoder
	out   *json.Decoder
	asked struct {
		Do    string // server, steps, mark, failed or done
		Seed  uint64 // server: of the random steps
		Count int    // steps
		Who   string // mark: the user who gets an event without effect
		Text  string // failed: what differs
	}
}

func openBrowser(t testing.TB) *browser {
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", webReload)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", webReload, err)
		}
	})
	b := &browser{t: t, in: json.NewEncoder(in), out: json.NewDecoder(out)}
	return b
}

// next reads a request. It returns false after the last one.
func (b *browser) next() bool {
	b.asked.Count, b.asked.Who, b.asked.Text = 0, "", ""
	err := b.out.Decode(&b.asked)
	if err != nil && !errors.Is(err, io.EOF) {
		b.t.Fatalf("%s: %s", webReload, err)
	}
	return err == nil
}

// TestLongRequestsOfBrowser checks that requests of any length are read: differences contain whole views.
func TestLongRequestsOfBrowser(t *testing.T) {
	text := strings.Repeat("x", 2<<20)
	b := &browser{t: t, out: json.NewDecoder(strings.NewReader(`{"do":"failed","text":"` + text + "\"}\n"))}
	if !b.next() || b.asked.Text != text || b.next() {
		t.Error("a long request is not read as one")
	}
}

func (b *browser) answer(v any) {
	if err := b.in.Encode(v); err != nil {
		b.t.Fatal(err)
	}
}

// serve starts a server, and takes steps on it until the browser is done.
func (b *browser) serve(t *testing.T) {
	s := startAll(t, "")
	s.Clock.Set(time.Now()) // otherwise the browser would drop the session cookies
	w := newSimulation(s)
	w.rnd = rand.New(rand.NewPCG(b.asked.Seed, 0))
	w.waited = true // days do not pass while the client is open
	var people []object
	for i, name := range w.names {
		people = append(people, object{"name": name, "id": w.users[i], "email": w.as(name).Email(),
			"password": secretOf(name)})
	}
	done := false
	defer func() {
		if !done { // a step has failed the test
			b.answer(object{"gone": true})
		}
	}()
	b.answer(object{"url": s.URL, "now": s.Clock.Now().UnixMilli(), "people": people})
	for b.next() {
		switch b.asked.Do {
		case "steps":
			begin := len(w.log)
			for range b.asked.Count {
				one(w, steps)(w)
			}
			b.answer(object{"log": w.log[begin:], "channels": w.channels, "users": w.users, "bots": w.bots,
				"groups": w.groups, "messages": w.ownPosts()})
		case "mark":
			me := w.users[slices.Index(w.names, b.asked.Who)]
			w.as(b.asked.Who).Do("POST /typing", "op", "stop", "to", fmt.Sprintf("[%d]", me)).OK()
			b.answer(object{})
		case "failed":
			t.Error(b.asked.Text)
			b.answer(object{})
		default:
			done = true
			return
		}
	}
}

// secretOf returns a user's password.
func secretOf(name string) string {
	if name == "visitor" {
		return password
	}
	return kittest.Password
}

// ownPosts returns the IDs of messages by their senders.
func (w *simulation) ownPosts() map[string][]int64 {
	out := map[string][]int64{}
	for _, p := range w.posts[max(0, len(w.posts)-12):] {
		out[p.who] = append(out[p.who], p.id)
	}
	return out
}
