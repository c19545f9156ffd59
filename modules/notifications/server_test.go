package notifications_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/nacl/secretbox"

	"github.com/stoachat/stoa/app/kittest"
)

// relay is a push relay that records its requests.
type relay struct {
	*httptest.Server
	mu          sync.Mutex
	status      int // status of the next responses; 0 means success
	failed      int
	got         []request
	realmStatus string // reported status of the realm; if "refused", the relay delivers nothing
}

// request is a notification as the relay receives it.
type request struct {
	TokenID  string `json:"token_id"`
	Priority string `json:"fcm_priority"`
	Payload  struct {
		Data string `json:"encrypted_data"`
	} `json:"payload"`
}

func newRelay(t *testing.T) *relay {
	r := &relay{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.status != 0 {
			r.failed++
			w.WriteHeader(r.status)
			return
		}
		if strings.HasSuffix(req.URL.Path, "/notify") {
			var in struct {
				Requests []request `json:"push_requests"`
			}
			if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			r.got = append(r.got, in.Requests...)
		}
		if r.realmStatus == "refused" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"result":"error","msg":"","code":"PUSH_NOTIFICATIONS_DISALLOWED"}`)
			return
		}
		realmStatus := cmp.Or(r.realmStatus, `{"can_push":true,"expected_end_timestamp":null}`)
		fmt.Fprintf(w, `{"result":"success","msg":"","android_successfully_sent_count":1,"apple_successfully_sent_count":0,
			"delete_token_ids":[],"realm_push_status":%s}`, realmStatus)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *relay) fail(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.failed = status, 0
}

// setRealmStatus sets the status that the relay reports for the realm.
func (r *relay) setRealmStatus(status string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.realmStatus = status
}

func (r *relay) failures() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// server is a server whose users have phones.
type server struct {
	*kittest.Server
	t      *testing.T
	relay  *relay
	owners map[string]string // by token id
}

func open(t *testing.T, database string, phones ...string) *server {
	t.Helper()
	r := newRelay(t)
	config := fmt.Sprintf("adapters: {push: {use: relay, url: %q, server_id: server, server_key: key}}", r.URL)
	w := &server{
		kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config}, modules()...), t, r, map[string]string{},
	}
	for _, name := range phones {
		token := tokenID(name)
		w.owners[token] = name
		device := w.As(name).Do("POST /register_client_device").OK().Int("device_id")
		w.As(name).
			Do("POST /mobile_push/register", "device_id", fmt.Sprint(device), "push_key_id", "1", "push_key", pushKey(name),
				"token_kind", "fcm", "token_id", token, "bouncer_public_key", "a2V5", "encrypted_push_registration", "c2VhbGVk").
			OK()
	}
	w.RunJob("push.forward")
	w.Skip()
	return w
}

func tokenID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func secret(name string) [32]byte { return sha256.Sum256([]byte("key of " + name)) }

func pushKey(name string) string {
	k := secret(name)
	return base64.StdEncoding.EncodeToString(append([]byte{0x31}, k[:]...))
}

func (w *server) direct(from, text string, to ...string) int64 {
	w.t.Helper()
	id := w.As(from).Do("POST /messages", "type", "direct", "to", "["+w.ids(to...)+"]", "content", text).OK().Int("id")
	w.Skip()
	return id
}

func (w *server) post(from, topic, text string) int64 {
	w.t.Helper()
	id := w.As(from).
		Do("POST /messages", "type", "channel", "to", "general", "topic", topic, "content", text).
		OK().
		Int("id")
	w.Skip()
	return id
}

// run decides on notifications and sends them.
func (w *server) run() {
	w.t.Helper()
	w.RunJob("notifications.judge notifications")
	w.RunJob("push.push notifications")
	w.RunJob("push.push notifications") // withdraws notifications of messages that have been read
}

// take returns the notifications that the phones have received and decrypted since the last call, as "owner: payload",
// sorted.
func (w *server) take() []string {
	w.relay.mu.Lock()
	defer w.relay.mu.Unlock()
	var all []string
	for _, r := range w.relay.got {
		name := w.owners[r.TokenID]
		data, err := base64.StdEncoding.DecodeString(r.Payload.Data)
		if err != nil || len(data) < 24 {
			w.t.Fatalf("%q is not encrypted", r.Payload.Data)
		}
		key, nonce := secret(name), [24]byte(data[:24])
		text, ok := secretbox.Open(nil, data[24:], &nonce, &key)
		if !ok {
			w.t.Fatalf("the key of %s does not decrypt their payload", name)
		}
		if quiet := strings.Contains(string(text), `"type":"remove"`); quiet != (r.Priority == "normal") {
			w.t.Errorf("%s has priority %s", text, r.Priority)
		}
		all = append(all, name+": "+string(text))
	}
	w.relay.got = nil
	slices.Sort(all)
	return all
}

// notified checks which notifications the phones receive, in the form and order of take. A * matches any text.
func (w *server) notified(want ...string) {
	w.t.Helper()
	w.run()
	got := w.take()
	if !slices.EqualFunc(got, want, like) {
		w.t.Errorf("the phones were sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// like reports whether a text matches a pattern.
func like(text, pattern string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for i, p := range parts[1:] {
		at := strings.Index(text, p)
		if i == len(parts)-2 && p != "" {
			at = strings.LastIndex(text, p)
			if at < 0 || at+len(p) != len(text) {
				return false
			}
		}
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return len(parts) > 1 || text == ""
}
