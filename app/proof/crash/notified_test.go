package crash_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/secretbox"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// flakyRelay is a push relay that fails repeatedly, before or after it has accepted a request. It records what is shown
// on a phone.
type flakyRelay struct {
	t       *testing.T
	key     [32]byte
	mu      sync.Mutex
	lost    bool
	shown   map[int64]map[string]bool // encrypted payloads by message
	removed map[int64]bool
}

func (r *flakyRelay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost && mathrand.IntN(6) == 0 {
		panic(http.ErrAbortHandler)
	}
	var in struct {
		Requests []struct {
			Payload struct {
				Data string `json:"encrypted_data"`
			} `json:"payload"`
		} `json:"push_requests"`
	}
	_ = json.NewDecoder(req.Body).Decode(&in) // registrations are forms
	for _, one := range in.Requests {
		r.show(one.Payload.Data)
	}
	if r.lost && mathrand.IntN(6) == 0 {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprint(
		w,
		`{"result":"success","msg":"","android_successfully_sent_count":1,"apple_successfully_sent_count":0,`+
			`"delete_token_ids":[]}`,
	)
}

func (r *flakyRelay) show(data string) {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(b) < 24 {
		r.t.Errorf("%q is not encrypted", data)
		return
	}
	nonce := [24]byte(b[:24])
	text, ok := secretbox.Open(nil, b[24:], &nonce, &r.key)
	var payload struct {
		Type     string  `json:"type"`
		Message  int64   `json:"message_id"`
		Messages []int64 `json:"message_ids"`
	}
	if err := json.Unmarshal(text, &payload); !ok || err != nil {
		r.t.Errorf("the phone can't read %q: %v", text, err)
	}
	for _, id := range payload.Messages {
		r.removed[id] = true
	}
	if payload.Type == "message" {
		if r.shown[payload.Message] == nil {
			r.shown[payload.Message] = map[string]bool{}
		}
		r.shown[payload.Message][data] = true
		delete(r.removed, payload.Message)
	}
}

// settled checks that the phone shows exactly the unread messages.
func (r *flakyRelay) settled(unread, read []int64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range unread {
		if len(r.shown[id]) == 0 || r.removed[id] {
			return fmt.Sprintf("message %d is not shown", id)
		}
	}
	for _, id := range read {
		if len(r.shown[id]) > 0 && !r.removed[id] {
			return fmt.Sprintf("message %d, which was read, is still shown", id)
		}
	}
	return ""
}

// checkRepeats checks that all notifications of one message were identical.
func (r *flakyRelay) checkRepeats() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, payloads := range r.shown {
		if len(payloads) != 1 {
			r.t.Errorf("message %d was sent with %d payloads", id, len(payloads))
		}
	}
}

// TestNotificationsAcrossKills checks notifications while the server and the relay fail at random points, and messages
// are sent and read. In the end, the phone must show each unread message exactly once, and no message that was read. A
// repeated notification must be identical to the first one.
func TestNotificationsAcrossKills(t *testing.T) {
	messages, kills := 1000, 25
	if !testrun.Long() {
		messages, kills = 60, 2
	}
	r := &flakyRelay{t: t, shown: map[int64]map[string]bool{}, removed: map[int64]bool{}}
	_, _ = rand.Read(r.key[:])
	relay := httptest.NewServer(r)
	t.Cleanup(relay.Close)
	s := harness.NewServer(t)
	s.Env = append(
		s.Env,
		"STOA_ADAPTERS_PUSH_USE=relay",
		"STOA_ADAPTERS_PUSH_URL="+relay.URL,
		"STOA_ADAPTERS_PUSH_SERVER_ID=one",
		"STOA_ADAPTERS_PUSH_SERVER_KEY=key",
	)
	s.Run(
		"user",
		"create",
		"--email",
		"other@example.com",
		"--name",
		"Other",
		"--role",
		"member",
		"--password-stdin",
		"--json",
	)
	s.Start()
	got := s.Must(
		"POST",
		"/fetch_api_key",
		url.Values{"username": {"other@example.com"}, "password": {"correct-horse-battery"}},
	)
	other := s.As("other@example.com", got["api_key"].(string))
	phone := withPhone(s, r.key)

	var unread, read []int64
	me := fmt.Sprint(s.Must("GET", "/users/me", nil)["user_id"])
	r.mu.Lock()
	r.lost = true
	r.mu.Unlock()
	for i := range messages {
		id := harness.Int(
			other.Must("POST", "/messages", url.Values{"type": {"direct"}, "to": {"[" + me + "]"},
				"content": {fmt.Sprint("number ", i)}})["id"],
		)
		if i%3 == 0 {
			s.Must("POST", "/messages/flags", url.Values{"op": {"add"}, "flag": {"read"}, "messages": {fmt.Sprintf("[%d]", id)}})
			read = append(read, id)
		} else {
			unread = append(unread, id)
		}
		if i%(messages/kills) == 0 {
			time.Sleep(time.Duration(mathrand.IntN(1200)) * time.Millisecond) // a random point during deciding and sending
			s.Kill()
			s.Start()
		}
	}
	r.mu.Lock()
	r.lost = false
	r.mu.Unlock()
	why := &strings.Builder{}
	testrun.Await(t, "end of the notifications", func() bool {
		why.Reset()
		why.WriteString(r.settled(unread, read))
		return why.Len() == 0
	}, why, s.Log)
	r.checkRepeats()
	t.Logf("%d kills: %d unread messages shown once, %d read ones not, on device %s", kills, len(unread), len(read), phone)
}

// withPhone registers a phone for the owner of s and returns its device ID.
func withPhone(s *harness.Server, key [32]byte) string {
	s.T.Helper()
	device := fmt.Sprint(s.Must("POST", "/register_client_device", nil)["device_id"])
	s.Must("POST", "/mobile_push/register", url.Values{
		"device_id": {
			device,
		}, "push_key_id": {"1"}, "push_key": {base64.StdEncoding.EncodeToString(append([]byte{0x31}, key[:]...))},
		"token_kind": {
			"fcm",
		}, "token_id": {"AAAAAAAAAAA="}, "bouncer_public_key": {"a2V5"}, "encrypted_push_registration": {"c2VhbGVk"},
	})
	awaitDevice(s, "AAAAAAAAAAA=")
	return device
}

// awaitDevice waits until the push service has accepted a token from the owner.
func awaitDevice(s *harness.Server, tokenID string) {
	s.T.Helper()
	testrun.Await(s.T, "acceptance of the device", func() bool {
		got, _ := json.Marshal(
			s.Must("POST", "/register", url.Values{"fetch_event_types": {`["device"]`}, "event_types": {`[]`}})["devices"],
		)
		return strings.Contains(string(got), fmt.Sprintf(`"push_token_id":%q`, tokenID))
	}, s.Log)
}
