package outgoing_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/outbound/call"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/outgoing"
	"github.com/stoachat/stoa/modules/realm"
)

func all() []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, bots.Module,
		call.Module, outgoing.Module,
	}
}

func TestModule(t *testing.T) {
	m := all()
	kittest.Check(t, m[len(m)-1], m[:len(m)-1]...)
}

const (
	cheap = "modules: {accounts: {password_memory_kib: 8, password_passes: 1}, " +
		"outgoing: {at_once: 2, per_bot: 1}}\n"
	allowInternal = "adapters: {webhooks: {use: http, networks: [127.0.0.1/32], timeout: 5s, max_bytes: 20000}}\n"
)

// server is a server with outgoing webhooks, and the service that they call.
type server struct {
	*kittest.Server
	mu       sync.Mutex
	requests []request
	answer   func(n int, w http.ResponseWriter)
	url      string
}

// request is a request that the service received.
type request struct {
	kind string
	body string
}

func (r request) get(t *testing.T, path string) any {
	t.Helper()
	var at any
	if err := json.Unmarshal([]byte(r.body), &at); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	for _, key := range strings.Split(path, ".") {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return at
}

func open(t *testing.T, database, config string) *server {
	t.Helper()
	return openWith(t, kittest.Options{DatabaseURL: database, Config: config})
}

func openWith(t *testing.T, o kittest.Options, more ...kit.Module) *server {
	t.Helper()
	w := &server{Server: kittest.StartWith(t, o, append(all(), more...)...)}
	service := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.requests = append(w.requests, request{r.Header.Get("Content-Type"), string(body)})
		n, answer := len(w.requests), w.answer
		w.mu.Unlock()
		answer(n, rw)
	}))
	t.Cleanup(service.Close)
	w.url = service.URL
	w.respond(`{}`)
	return w
}

// respond sets the service's response and clears the recorded requests.
func (w *server) respond(body string) {
	w.respondWith(func(_ int, rw http.ResponseWriter) { fmt.Fprint(rw, body) })
}

func (w *server) respondWith(answer func(n int, rw http.ResponseWriter)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer, w.requests = answer, nil
}

// calls makes the due calls and returns the requests recorded since the last call.
func (w *server) calls() []request {
	w.T.Helper()
	w.RunJob("outgoing.call_1")
	return w.takeRequests()
}

func (w *server) takeRequests() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	requests := w.requests
	w.requests = nil
	return requests
}

// expectNoCalls checks that no call is due.
func (w *server) expectNoCalls(when string) {
	w.T.Helper()
	if got := w.calls(); len(got) > 0 {
		w.T.Errorf("%s: called with %v", when, got)
	}
}

// robot is an outgoing webhook bot.
type robot struct {
	id         int64
	name       string
	email, key string
}

func (w *server) robot(owner, name string, params ...string) robot {
	w.T.Helper()
	a := w.As(owner).Do("POST /bots", append([]string{"full_name", name, "short_name", name, "bot_type", "3",
		"payload_url", fmt.Sprintf("%q", w.url)}, params...)...).OK()
	return robot{a.Int("user_id"), name, name + "-bot@stoa.invalid", a.String("api_key")}
}

func (w *server) subscribe(r robot, channel string) {
	w.T.Helper()
	w.As("alice").Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, channel), "principals",
		fmt.Sprintf("[%d]", r.id)).OK()
}

func (w *server) unsubscribe(r robot, channel string) {
	w.T.Helper()
	w.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", channel), "principals",
		fmt.Sprintf("[%d]", r.id)).OK()
}

func (w *server) post(as, channel, content string) int64 {
	w.T.Helper()
	return w.As(as).Do("POST /messages", "type", "stream", "to", channel, "topic", "t", "content", content).OK().Int("id")
}

func (w *server) direct(as, content string, to ...int64) int64 {
	w.T.Helper()
	return w.As(as).Do("POST /messages", "type", "direct", "to", kittest.JSON(to), "content", content).OK().Int("id")
}

// newest returns the sender, topic and Markdown of the newest message that a user sees in a narrow.
func (w *server) newest(as, narrow string) string {
	w.T.Helper()
	a := w.As(as).Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "apply_markdown", "false",
		"narrow", narrow).OK()
	if !a.Has("messages.0") {
		return ""
	}
	return fmt.Sprintf("%s/%s: %s", a.String("messages.0.sender_full_name"), a.String("messages.0.subject"),
		a.String("messages.0.content"))
}

// count returns how many messages a user sees in a narrow.
func (w *server) count(as, narrow string) int {
	w.T.Helper()
	a := w.As(as).Do("GET /messages", "anchor", "newest", "num_before", "100", "num_after", "0", "narrow", narrow).OK()
	return len(a.Get("messages").([]any))
}

func (w *server) equal(what, got, want string) {
	w.T.Helper()
	if got != want {
		w.T.Errorf("%s: %s, want %s", what, got, want)
	}
}

// with returns the narrow of a direct conversation.
func with(others ...int64) string {
	return fmt.Sprintf(`[{"operator":"dm","operand":%s}]`, kittest.JSON(others))
}
