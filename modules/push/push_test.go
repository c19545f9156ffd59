package push_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/secretbox"

	pushrelay "github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/adapters/push/webpush/webpushtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, push.Module, pushrelay.Module, webpush.Module, messages.Module, realm.Module)
}

// relay is a push relay that records requests. Tests set its responses.
type relay struct {
	*httptest.Server
	mu       sync.Mutex
	status   int // of the next responses; 0 means success
	answer   string
	calls    []string          // path and form, or JSON
	notified []json.RawMessage // push requests
	dead     []string
}

func newRelay(t *testing.T) *relay {
	r := &relay{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if id, key, _ := req.BasicAuth(); id != "server-1" || key != "secret-1" {
			t.Errorf("called as %q with %q", id, key)
		}
		switch path := strings.TrimPrefix(req.URL.Path, "/api/v1/remotes/"); path {
		case "push/e2ee/register":
			_ = req.ParseForm()
			r.calls = append(r.calls, path+" "+req.PostForm.Get("token_id")+" "+req.PostForm.Get("encrypted_push_registration"))
		case "push/e2ee/notify":
			var in struct {
				Requests []json.RawMessage `json:"push_requests"`
			}
			if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			r.calls, r.notified = append(r.calls, path), append(r.notified, in.Requests...)
		default:
			t.Errorf("called %s", req.URL)
		}
		if r.status != 0 {
			w.WriteHeader(r.status)
			fmt.Fprint(w, r.answer)
			return
		}
		dead, _ := json.Marshal(r.dead)
		fmt.Fprintf(w, `{"result":"success","msg":"","android_successfully_sent_count":%d,"apple_successfully_sent_count":0,
			"delete_token_ids":%s,"realm_push_status":{"can_push":true}}`, len(r.notified)-len(r.dead), dead)
	}))
	t.Cleanup(r.Close)
	return r
}

// takeCalls returns the calls since it was last called.
func (r *relay) takeCalls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.calls
	r.calls = nil
	return out
}

func (r *relay) setAnswer(status int, answer string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.answer = status, answer
}

func start(t *testing.T, url string, r *relay) *kittest.Server {
	t.Helper()
	config := ""
	if r != nil {
		config = fmt.Sprintf("adapters: {push: {use: relay, url: %q, server_id: server-1, server_key: secret-1}}", r.URL)
	}
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: config},
		realm.Module, accounts.Module, events.Module, messages.Module, push.Module, pushrelay.Module, webpush.Module)
}

const keyBytes = "0123456789abcdef0123456789abcdef"

func pushKey(first byte) string {
	return base64.StdEncoding.EncodeToString([]byte("1" + string(first) + keyBytes[1:]))
}

func tokenID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func keyFields(id int, first byte) []string {
	return []string{"push_key_id", fmt.Sprint(id), "push_key", pushKey(first)}
}

// sealedToken stands for an encrypted registration.
func sealedToken(token string) string {
	return base64.StdEncoding.EncodeToString([]byte("sealed " + token))
}

func tokenFields(token string) []string {
	return []string{
		"token_kind",
		"fcm",
		"token_id",
		tokenID(token),
		"bouncer_public_key",
		"Ym91bmNlcg==",
		"encrypted_push_registration",
		sealedToken(token),
	}
}

func TestWithoutService(t *testing.T) {
	s := start(t, "", nil)
	alice := s.As("alice")
	id := alice.Do("POST /register_client_device").OK().Int("device_id")
	s.Events(fmt.Sprintf(`device/add user:alice {"device_id":%d}`, id))
	all := append([]string{"device_id", fmt.Sprint(id)}, append(keyFields(1, 'a'), tokenFields("token")...)...)
	alice.Do("POST /mobile_push/register", all...).Error(400, "PUSH_SERVICE_NOT_CONFIGURED", "")
	alice.Do("POST /mobile_push/register").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'device_id' argument")
	alice.Do("POST /mobile_push/e2ee/test_notification").Error(400, "PUSH_SERVICE_NOT_CONFIGURED", "")
	browser := webpushtest.NewBrowser(t).Subscription("https://push.example.com/1")
	alice.Do("POST /web_push/register", "subscription", browser).Error(400, "PUSH_SERVICE_NOT_CONFIGURED", "")
	s.As("bot").Do("POST /mobile_push/register", all...).Error(400, "BAD_REQUEST", "")
	s.Anonymous().Do("POST /mobile_push/register", all...).Error(401, "UNAUTHORIZED", "")
	s.NoEvents()
	if got := alice.Do("GET /server_settings").OK().Get("push_notifications_enabled"); got != false {
		t.Errorf("push_notifications_enabled is %v", got)
	}
}

func TestDevices(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		r := newRelay(t)
		s := start(t, url, r)
		alice := s.As("alice")
		device := alice.Do("POST /register_client_device").OK().Int("device_id")
		id := fmt.Sprint(device)
		s.Skip()
		register := func(fields ...[]string) *kittest.Response {
			all := []string{"device_id", id}
			for _, f := range fields {
				all = append(all, f...)
			}
			return alice.Do("POST /mobile_push/register", all...)
		}
		state := func(want string) {
			t.Helper()
			got := kittest.JSON(alice.Do("POST /register", "fetch_event_types", `["device"]`).OK().Get("devices"))
			if want = fmt.Sprintf(`{"%d":%s}`, device, want); got != want {
				t.Errorf("devices are %s\nwant %s", got, want)
			}
			s.Skip()
		}
		refused := func(msg string, fields ...[]string) {
			t.Helper()
			register(fields...).Error(400, "BAD_REQUEST", msg)
			s.NoEvents()
		}
		state(
			`{"pending_push_token_id":null,"push_key_id":null,"push_registration_error_code":null,"push_token_id":null,` +
				`"push_token_last_updated_timestamp":null}`,
		)

		// Invalid input changes nothing.
		refused("Missing parameters")
		refused("Missing parameters", []string{"push_key_id", "1"}, tokenFields("t")[:6])
		refused("No push key to rotate", keyFields(1, 'a'))
		refused("Push key fields are required", tokenFields("t"))
		refused("push_key_id is not an integer", []string{"push_key_id", "4294967296", "push_key", pushKey('a')})
		for _, key := range []string{"MQ==", pushKey('a')[:43], base64.StdEncoding.EncodeToString([]byte("2" + keyBytes)),
			"!"} {
			refused("Invalid push_key", []string{"push_key_id", "1", "push_key", key}, tokenFields("t"))
		}
		bad := tokenFields("t")
		bad[1] = "pigeon"
		refused("Invalid token_kind", keyFields(1, 'a'), bad)
		bad = tokenFields("t")
		bad[3] = "AAAA"
		refused("Invalid token_id", keyFields(1, 'a'), bad)
		s.As("bob").
			Do("POST /mobile_push/register", append([]string{"device_id", id}, keyFields(1, 'a')...)...).
			Error(400, "BAD_REQUEST", "Invalid device_id")
		s.NoEvents()

		// A first registration is forwarded, retried while the relay is down, and eventually accepted.
		at := s.Clock.Now().Unix()
		register(keyFields(4294967295, 'a'), tokenFields("one")).Is(200, `{"result":"success","msg":""}`)
		s.Events(
			fmt.Sprintf(
				`device/update user:alice {"device_id":%d,"push_key_id":4294967295,"pending_push_token_id":%q,`+
					`"push_token_last_updated_timestamp":%d}`,
				device,
				tokenID("one"),
				at,
			),
		)
		refused("already in progress", tokenFields("two"))
		register(keyFields(7, 'b')).OK() // the relay key is rotated in the meantime
		s.Events(fmt.Sprintf(`device/update user:alice {"device_id":%d,"push_key_id":7}`, device))
		register(keyFields(7, 'b')).OK()
		s.NoEvents()
		r.setAnswer(500, "down")
		s.RunJob("push.forward")
		s.RunJob("push.forward")
		s.NoEvents()
		if got := r.takeCalls(); len(got) != 1 {
			t.Errorf("the relay was called again immediately: %v", got)
		}
		r.setAnswer(0, "")
		s.Clock.Advance(time.Minute)
		s.RunJob("push.forward")
		if got := strings.Join(r.takeCalls(), "\n"); got != "push/e2ee/register "+tokenID("one")+" "+sealedToken("one") {
			t.Errorf("the relay was called with %s", got)
		}
		s.Events(
			fmt.Sprintf(
				`device/update user:alice {"device_id":%d,"push_token_id":%q,"pending_push_token_id":null}`,
				device,
				tokenID("one"),
			),
			fmt.Sprintf(`push_device user:alice {"push_account_id":"%d","status":"active"}`, device),
		)
		state(
			fmt.Sprintf(
				`{"pending_push_token_id":null,"push_key_id":7,"push_registration_error_code":null,"push_token_id":%q,`+
					`"push_token_last_updated_timestamp":%d}`,
				tokenID("one"),
				at,
			),
		)
		register(tokenFields("one")).OK()
		register(keyFields(7, 'b'), tokenFields("one")).OK()
		s.NoEvents()

		// If a new token is rejected, the old one remains in use, and the client may retry immediately.
		register(tokenFields("two")).OK()
		s.Skip()
		r.setAnswer(400, `{"result":"error","msg":"","code":"INVALID_BOUNCER_PUBLIC_KEY"}`)
		s.RunJob("push.forward")
		s.Events(
			fmt.Sprintf(
				`device/update user:alice {"device_id":%d,"push_registration_error_code":"INVALID_BOUNCER_PUBLIC_KEY"}`,
				device,
			),
			fmt.Sprintf(
				`push_device user:alice {"push_account_id":"%d","status":"failed","error_code":"INVALID_BOUNCER_PUBLIC_KEY"}`,
				device,
			),
		)
		r.setAnswer(0, "")
		register(tokenFields("two")).OK()
		s.Events(
			fmt.Sprintf(
				`device/update user:alice {"device_id":%d,"pending_push_token_id":%q,"push_token_last_updated_timestamp":"*",`+
					`"push_registration_error_code":null}`,
				device,
				tokenID("two"),
			),
		)
		alice.Do("POST /users/me/android_gcm_reg_id", "token", "two").OK()
		s.RunJob("push.forward")
		s.Skip()
		alice.Do("DELETE /users/me/android_gcm_reg_id", "token", "two").
			Error(400, "BAD_REQUEST", "Token does not exist")
			// replaced

		// A test notification reaches the relay encrypted; a dead token is removed.
		alice.Do("POST /mobile_push/e2ee/test_notification").OK()
		var sent struct {
			TokenID  string `json:"token_id"`
			Priority string `json:"fcm_priority"`
			Payload  struct {
				KeyID string `json:"push_key_id"`
				Data  string `json:"encrypted_data"`
			}
		}
		if err := json.Unmarshal(r.notified[0], &sent); err != nil || sent.TokenID != tokenID("two") ||
			sent.Priority != "high" ||
			sent.Payload.KeyID != "7" {
			t.Errorf("notified %s (%v)", r.notified[0], err)
		}
		if got, want := decrypt(t, sent.Payload.Data, 'b'),
			fmt.Sprintf(`{"type":"test","realm_url":%q,"realm_name":"*","user_id":%d,"time":%d}`,
				s.URL, s.UserID("alice"), s.Clock.Now().Unix()); !matches(
			got,
			want,
		) {
			t.Errorf("the device reads %s\nwant %s", got, want)
		}
		r.setAnswer(502, "")
		alice.Do("POST /mobile_push/e2ee/test_notification").
			Error(502, string(errs.BouncerFailed), "The push service failed.")
		r.setAnswer(0, "")
		s.NoEvents()
		r.dead = []string{tokenID("two")}
		r.notified = nil
		alice.Do("POST /mobile_push/e2ee/test_notification", "device_id", id).Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
		s.Events(fmt.Sprintf(`device/update user:alice {"device_id":%d,"push_token_id":null}`, device))
		alice.Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")

		// Devices are removed when their owner's keys are revoked.
		alice.Do("POST /remove_client_device", "device_id", "987654").Error(400, "BAD_REQUEST", "Invalid device_id")
		s.As("bob").Do("POST /remove_client_device", "device_id", id).Error(400, "BAD_REQUEST", "Invalid device_id")
		s.NoEvents()
		alice.Do("POST /remove_client_device", "device_id", id).OK()
		s.Events(fmt.Sprintf(`device/remove user:alice {"device_id":%d}`, device))
		second := alice.Do("POST /register_client_device").OK().Int("device_id")
		s.Skip()
		alice.Do("POST /users/me/api_key/regenerate").OK()
		s.Events(fmt.Sprintf(`device/remove user:alice {"device_id":%d}`, second), "user/keys nobody")
	})
}

func TestRelayTrouble(t *testing.T) {
	r := newRelay(t)
	s := start(t, "", r)
	alice := s.As("alice")
	id := fmt.Sprint(alice.Do("POST /register_client_device").OK().Int("device_id"))
	alice.Do("POST /mobile_push/register", append([]string{"device_id", id},
		append(keyFields(1, 'a'), tokenFields("t")...)...)...).
		OK()
	s.Skip()
	r.setAnswer(403, `{"code":"MISSING_REMOTE_REALM"}`)
	for range 30 { // a day
		s.RunJob("push.forward")
		s.Clock.Advance(time.Hour)
	}
	s.Events(
		fmt.Sprintf(`device/update user:alice {"device_id":%s,"push_registration_error_code":"REQUEST_EXPIRED"}`, id),
		`push_device user:alice`,
	)
	r.setAnswer(0, "")
	alice.Do("POST /mobile_push/register", append([]string{"device_id", id}, tokenFields("t")...)...).OK()
	s.RunJob("push.forward")
	for status, c := range map[int]struct{ answer, code string }{
		403: {`{"code":"MISSING_REMOTE_REALM"}`, "ADMIN_ACTION_REQUIRED"},
		502: {"", "INTERNAL_SERVER_ERROR_ON_BOUNCER"},
	} {
		r.setAnswer(status, c.answer)
		alice.Do("POST /mobile_push/e2ee/test_notification").Error(status, c.code, "")
	}
	r.Close()
	alice.Do("POST /mobile_push/e2ee/test_notification").Error(502, "FAILED_TO_CONNECT_BOUNCER", "")
}

func decrypt(t *testing.T, data string, first byte) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(b) < 24 {
		t.Fatalf("%q is not encrypted: %v", data, err)
	}
	var nonce [24]byte
	var key [32]byte
	copy(nonce[:], b)
	copy(key[:], string(first)+keyBytes[1:])
	text, ok := secretbox.Open(nil, b[24:], &nonce, &key)
	if !ok {
		t.Fatal("the key does not decrypt it")
	}
	return string(text)
}

func matches(got, want string) bool {
	before, after, _ := strings.Cut(want, `"*"`)
	return strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}
