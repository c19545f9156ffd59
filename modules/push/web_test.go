package push_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"crypto/ecdsa"
	"crypto/elliptic"

	pushrelay "github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/adapters/push/webpush/webpushtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
)

// pushService is a Web Push service. Browsers are identified by the paths of their endpoints.
type pushService struct {
	*httptest.Server
	t        *testing.T
	vapid    string // public key of the subscriptions
	mu       sync.Mutex
	browsers map[string]*webpushtest.Browser
	answers  map[string][]answer // by path, for the next requests
	tries    int
	got      []webMessage
	hangs    string // path of a browser whose requests are accepted but never completed
}

type answer struct {
	status int
	after  string // Retry-After
}

// webMessage is a message decrypted by a browser, with the headers that its push service received.
type webMessage struct {
	path, topic, ttl, urgency string
	text                      string
	payload                   struct {
		Type    string  `json:"type"`
		Message int64   `json:"message_id"`
		Content string  `json:"content"`
		Badge   int     `json:"badge"`
		Removed []int64 `json:"message_ids"`
	}
}

func newPushService(t *testing.T) *pushService {
	p := &pushService{t: t, browsers: map[string]*webpushtest.Browser{}, answers: map[string][]answer{}}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.EnableHTTP2 = true
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

func (p *pushService) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.hangs == r.URL.Path {
		p.mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return
	}
	defer p.mu.Unlock()
	p.tries++
	body, err := io.ReadAll(r.Body)
	b := p.browsers[r.URL.Path]
	if err != nil || b == nil {
		p.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return
	}
	p.checkSignature(r)
	if next := p.answers[r.URL.Path]; len(next) > 0 {
		p.answers[r.URL.Path] = next[1:]
		w.Header().Set("Retry-After", next[0].after)
		w.WriteHeader(next[0].status)
		return
	}
	m := webMessage{
		path: r.URL.Path, topic: r.Header.Get("Topic"), ttl: r.Header.Get("Ttl"), urgency: r.Header.Get("Urgency"),
		text: string(b.Open(body)),
	}
	if err := json.Unmarshal([]byte(m.text), &m.payload); err != nil {
		p.t.Errorf("%q: %v", m.text, err)
	}
	p.got = append(p.got, m)
	w.WriteHeader(http.StatusCreated)
}

// checkSignature checks that a request contains a JWT for this service, signed with the key of the subscriptions.
func (p *pushService) checkSignature(r *http.Request) {
	text, key, ok := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	if !ok || key != p.vapid || r.Header.Get("Content-Encoding") != "aes128gcm" {
		p.t.Errorf("headers are %v, the key is %s", r.Header, p.vapid)
		return
	}
	point, _ := base64.RawURLEncoding.DecodeString(key)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		p.t.Error(err)
		return
	}
	_, err = jwt.Parse(text, func(*jwt.Token) (any, error) { return public, nil }, jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithAudience(p.URL), jwt.WithSubject("https://chat.example.com"), jwt.WithExpirationRequired())
	if err != nil {
		p.t.Error(err)
	}
}

// answer makes the next requests for a path fail.
func (p *pushService) answer(path string, all ...answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[path] = all
}

// takeMessages returns the messages decrypted since the last call, and the number of requests.
func (p *pushService) takeMessages() ([]webMessage, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	got, tries := p.got, p.tries
	p.got, p.tries = nil, 0
	return got, tries
}

// browserServer is a server with Web Push but without a push relay.
type browserServer struct {
	*kittest.Server
	push *pushService
}

func startBrowsers(t *testing.T, database string, more ...string) *browserServer {
	t.Helper()
	return startBrowsersWith(t, database, "max_web: 3", more...)
}

func startBrowsersWith(t *testing.T, database, settings string, more ...string) *browserServer {
	t.Helper()
	p := newPushService(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{http: {url: "https://chat.example.com"},
		adapters: {webpush: {use: direct, networks: [127.0.0.1/32], ca_file: %q, timeout: 1m}%s}, modules: {push: {%s}}}`,
		ca, strings.Join(more, ""), settings)
	w := &browserServer{kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, topics.Module,
		notifications.Module, push.Module, pushrelay.Module, webpush.Module), p}
	p.vapid = w.As("bob").Do("GET /web_push/key").OK().String("public_key")
	return w
}

// browser returns the subscription of a new browser whose endpoint has the given path.
func (w *browserServer) browser(path string) string {
	b := webpushtest.NewBrowser(w.T)
	w.push.mu.Lock()
	defer w.push.mu.Unlock()
	w.push.browsers[path] = b
	return b.Subscription(w.push.URL + path)
}

func (w *browserServer) subscribe(who, subscription string, more ...string) int64 {
	w.T.Helper()
	return w.As(who).Do("POST /web_push/register", append([]string{"subscription", subscription}, more...)...).
		OK().Int("device_id")
}

func (w *browserServer) direct(text string) int64 {
	w.T.Helper()
	return w.As("alice").
		Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", w.UserID("bob")), "content", text).
		OK().
		Int("id")
}

func (w *browserServer) read(id int64) {
	w.T.Helper()
	w.As("bob").Do("POST /messages/flags", "op", "add", "flag", "read", "messages", fmt.Sprintf("[%d]", id)).OK()
}

// sent runs the jobs and returns the messages decrypted by browsers and the number of requests.
func (w *browserServer) sent() ([]webMessage, int) {
	w.T.Helper()
	w.RunJob("notifications.judge notifications")
	w.RunJob("push.push notifications")
	w.RunJob("push.push notifications") // withdraws what was read in the meantime
	w.RunJob("push.repeated web push notifications")
	return w.push.takeMessages()
}

// TestWebPush checks that notifications reach browsers, encrypted for each and signed by the server. When the message
// is read, a withdrawal is sent to a distributor that supports it, but not to browsers.
func TestWebPush(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := startBrowsers(t, database)
		first := w.browser("/first")
		id := w.subscribe("bob", first)
		w.Events(fmt.Sprintf(`device/add user:bob {"device_id":%d}`, id),
			fmt.Sprintf(`device/update user:bob {"device_id":%d,"push_token_id":%q}`, id, tokenID(w.push.URL+"/first")))
		if again := w.subscribe("bob", first); again != id {
			t.Errorf("a repeat created the device %d", again)
		}
		w.NoEvents()
		w.subscribe("bob", w.browser("/second"), "can_withdraw", "true")
		w.As("bob").Do("POST /mobile_push/register", append([]string{"device_id", fmt.Sprint(id)}, keyFields(1, 'a')...)...).
			Error(400, "PUSH_SERVICE_NOT_CONFIGURED", "")

		one := w.direct("read soon")
		w.direct("<&> " + strings.Repeat("ü", 300))
		got, tries := w.sent()
		if len(got) != 4 || tries != 4 {
			t.Fatalf("%d messages in %d requests: %v", len(got), tries, got)
		}
		for _, m := range got {
			if m.payload.Type != "message" || m.urgency != "high" || m.ttl != "86400" || len(m.topic) != 32 ||
				m.payload.Badge != 2 {
				t.Errorf("%+v", m)
			}
		}
		if want := fmt.Sprintf(`"message_id":%d,"sender_id":%d,"sender_full_name":"Alice"`, one,
			w.UserID("alice")); !strings.Contains(
			got[0].text,
			want,
		) {
			t.Errorf("no %s in %s", want, got[0].text)
		}
		if got[0].topic == got[1].topic || got[0].topic == got[2].topic {
			t.Error("topics repeat")
		}

		w.read(one)
		got, _ = w.sent()
		if len(got) != 1 || got[0].path != "/second" || got[0].payload.Type != "remove" || got[0].payload.Removed[0] != one ||
			got[0].payload.Badge != 1 || got[0].urgency != "normal" {
			t.Errorf("withdrawn by %+v", got)
		}
		w.As("bob").Do("POST /mobile_push/e2ee/test_notification", "device_id", fmt.Sprint(id)).OK()
		if got, _ := w.push.takeMessages(); len(got) != 1 || got[0].payload.Type != "test" || got[0].path != "/first" {
			t.Errorf("tested by %+v", got)
		}
		w.As("bob").Do("POST /remove_client_device", "device_id", fmt.Sprint(id)).OK()
		w.direct("later")
		if got, _ := w.sent(); len(got) != 1 || got[0].path != "/second" {
			t.Errorf("a removed device got %+v", got)
		}
	})
}

// TestWebPushTrouble checks that notifications which a push service does not accept are retried for that browser only,
// at growing intervals or when the service permits it, and that an expired subscription is removed.
func TestWebPushTrouble(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := startBrowsers(t, database)
		bad := w.subscribe("bob", w.browser("/bad"))
		w.subscribe("bob", w.browser("/good"))
		w.direct("hello")
		if got, _ := w.sent(); len(got) != 2 {
			t.Fatalf("%+v", got)
		}
		w.push.answer("/bad", answer{503, ""}, answer{429, "600"}, answer{500, ""})
		id := w.direct("once")
		w.direct("twice")
		got, _ := w.sent()
		if len(got) != 2 || got[0].path != "/good" || got[1].path != "/good" {
			t.Errorf("%+v", got)
		}
		read := w.direct("read meanwhile")
		w.sent()
		w.read(read)
		w.Clock.Advance(5 * time.Minute)
		if _, n := w.sent(); n != 0 {
			t.Errorf("tried %d times, although the service asked for ten minutes", n)
		}
		w.Clock.Advance(5 * time.Minute)
		if got, n := w.sent(); len(got) != 0 || n != 1 { // one response remains
			t.Errorf("%d tries: %+v", n, got)
		}
		w.Clock.Advance(time.Hour)
		got, _ = w.sent()
		if len(got) != 2 || got[0].path != "/bad" || got[0].payload.Message != id || got[1].payload.Content != "twice" {
			t.Errorf("repeated %+v", got)
		}

		w.push.answer("/bad", answer{503, ""})
		w.direct("expires")
		w.sent()
		w.Clock.Advance(25 * time.Hour)
		if got, _ := w.sent(); len(got) != 0 {
			t.Errorf("sent after a day: %+v", got)
		}

		w.push.answer("/bad", answer{400, ""})
		w.direct("refused for good")
		w.sent()
		w.Clock.Advance(time.Hour)
		if got, _ := w.sent(); len(got) != 0 {
			t.Errorf("repeated although refused: %+v", got)
		}

		w.Skip()
		w.push.answer("/bad", answer{410, ""})
		w.direct("gone")
		w.sent()
		w.Events("message users:alice,bob", fmt.Sprintf(`device/remove user:bob {"device_id":%d}`, bad))
		w.push.answer("/good", answer{404, ""})
		w.As("bob").Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
		w.As("bob").Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
	})
}

// TestWebPushBadInput checks that internal addresses, malformed keys and too many devices are refused. If a user
// registers another user's subscription with its keys, that user's device is removed; the endpoint alone is not enough.
func TestWebPushBadInput(t *testing.T) {
	w := startBrowsers(t, kittest.Memory)
	good := w.browser("/one")
	for _, bad := range []string{
		"x", "{}", `{"endpoint":"https://push.example.com/x"}`, strings.Replace(good, "https:", "http:", 1),
		strings.Replace(good, w.push.URL, "https://10.0.0.1", 1),
		strings.Replace(good, w.push.URL, "https://localhost:22", 1),
		strings.Replace(good, `"auth":"`, `"auth":"AAAA`, 1), strings.Replace(good, `"p256dh":"B`, `"p256dh":"C`, 1),
		strings.Replace(good, "/one", "/"+strings.Repeat("x", 3000), 1), `{"x":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		w.As("bob").Do("POST /web_push/register", "subscription", bad).Error(400, "BAD_REQUEST", "")
	}
	w.As("bob").Do("POST /web_push/register").Error(400, "REQUEST_VARIABLE_MISSING", "")
	w.As("bot").Do("POST /web_push/register", "subscription", good).Error(400, "BAD_REQUEST", "")
	w.NoEvents()

	id := w.subscribe("bob", good)
	w.Skip()
	other := w.browser("/one") // the same endpoint with different keys
	w.subscribe("alice", other)
	w.Skip()
	w.subscribe("alice", good)
	w.Events(fmt.Sprintf(`device/remove user:bob {"device_id":%d}`, id))
	for i := range 2 {
		w.subscribe("alice", w.browser(fmt.Sprint("/more", i)))
	}
	w.As("alice").
		Do("POST /web_push/register", "subscription", w.browser("/many")).
		Error(400, "BAD_REQUEST", "Too many devices")
}
