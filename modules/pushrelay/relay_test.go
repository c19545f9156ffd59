package pushrelay_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/stoachat/stoa/adapters/push/delivery"
	"github.com/stoachat/stoa/adapters/push/webpush/webpushtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/pushrelay"
)

func TestModule(t *testing.T) { kittest.Check(t, pushrelay.Module, delivery.Module) }

const (
	registerPath = "POST /remotes/push/e2ee/register"
	notifyPath   = "POST /remotes/push/e2ee/notify"
	realmUUID    = "0190f4f5-3d0c-7c3e-9a51-0123456789ab"
)

// relayServer is a relay with all three push services, and the credentials of a server that uses it.
type relayServer struct {
	*kittest.Server
	t      *testing.T
	apns   *service
	fcm    *fcmService
	web    *service
	device *webpushtest.Browser
	server relay.Credentials
	public string // key of the relay
	config string
	log    bytes.Buffer
	made   int
}

func start(t *testing.T, database, limits string, more ...kit.Module) *relayServer {
	t.Helper()
	clock := kittest.NewClock()
	apnsKey, vapid := newECDSA(t), newECDSA(t)
	r := &relayServer{t: t, fcm: newFCM(t), device: webpushtest.NewBrowser(t)}
	r.apns = newAPNs(t, &apnsKey.PublicKey, clock.Now, time.Hour)
	r.web = newWebPush(t, r.device, &vapid.PublicKey)
	raw, err := vapid.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	r.config = fmt.Sprintf(`
modules: {pushrelay: {%s}}
adapters:
  delivery:
    use: direct
    ttl: 1h
    retry: 1ms
    retry_for: 20ms
    ca_file: %s
    apns: {key_file: %s, key_id: %s, team_id: %s, apps: [%s], url: "%s"}
    fcm: {credentials_file: %s, url: "%s"}
    web: {private_key: %s, contact: push@example.com, networks: [127.0.0.1/32]}
`, limits, r.apns.certificate(), writeFile(t, "apns.p8", privatePEM(t, apnsKey)), apnsKeyID, apnsTeam, app, r.apns.URL,
		r.fcm.credentials(), r.fcm.URL, rawURL.EncodeToString(raw))
	log := slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.Server = kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: r.config, Clock: clock, Log: log},
		append(more, pushrelay.Module, delivery.Module)...)
	r.server = r.add("chat")
	key, err := r.Ports.PushRelay.CreateKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.public = key.Public
	return r
}

func (r *relayServer) add(name string) relay.Credentials {
	r.t.Helper()
	c, err := r.Ports.PushRelay.AddServer(r.t.Context(), relay.Server{Name: name})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// seal encrypts data for the relay like a device.
func seal(t *testing.T, public string, plain any) string {
	t.Helper()
	b, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	var key [32]byte
	raw, err := base64.StdEncoding.DecodeString(public)
	if err != nil || copy(key[:], raw) != 32 {
		t.Fatalf("key %q: %v", public, err)
	}
	sealed, err := box.SealAnonymous(nil, b, &key, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sealed)
}

type fields map[string]any

// registration returns the fields that a device seals for a token.
func (r *relayServer) registration(kind push.TokenKind, token string) fields {
	f := fields{"token": token, "token_kind": kind, "timestamp": r.Clock.Now().Unix()}
	if kind == push.APNs {
		f["ios_app_id"] = app
	}
	return f
}

// form returns the form that registers a token.
func (r *relayServer) form(kind push.TokenKind, token string) []string {
	return r.formOf(token, r.registration(kind, token))
}

func (r *relayServer) formOf(token string, sealed fields) []string {
	return []string{
		"realm_uuid", realmUUID, "token_id", push.TokenID(token), "bouncer_public_key", r.public,
		"encrypted_push_registration", seal(r.t, r.public, sealed),
	}
}

func (r *relayServer) as(c relay.Credentials) *kittest.Client { return r.WithKey(c.ID, c.Key) }

func (r *relayServer) register(kind push.TokenKind, token string) {
	r.t.Helper()
	r.as(r.server).Do(registerPath, r.form(kind, token)...).Is(200, `{"result":"success","msg":""}`)
}

func (r *relayServer) notify(requests ...string) *kittest.Response {
	r.t.Helper()
	body := fmt.Sprintf(`{"realm_uuid":%q,"push_requests":[%s]}`, realmUUID, strings.Join(requests, ","))
	return r.as(r.server).Send(notifyPath, "application/json", strings.NewReader(body))
}

// distinct gives each request different data, so that none counts as a duplicate.
func (r *relayServer) distinct(requests ...string) []string {
	out := make([]string, len(requests))
	for i, one := range requests {
		r.made++
		data := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "notification %d", r.made))
		out[i] = strings.Replace(one, someData, data, 1)
	}
	return out
}

const someData = "c29tZXRoaW5nIGVuY3J5cHRlZA=="

func forFCM(token, priority string) string {
	return fmt.Sprintf(`{"token_id":%q,"fcm_priority":%q,"payload":{"push_key_id":"4294967295","encrypted_data":%q}}`,
		push.TokenID(token), priority, someData)
}

func forAPNs(token, data string) string {
	return fmt.Sprintf(`{"token_id":%q,"http_headers":{"apns_priority":10,"apns_push_type":"alert"},
		"payload":{"push_key_id":7,"encrypted_data":%q,
		"aps":{"mutable-content":1,"alert":{"title":"a text that must not go out"}}}}`, push.TokenID(token), data)
}

func forWeb(token, id string) string {
	return fmt.Sprintf(`{"token_id":%q,"web_urgency":"normal","notification_id":%q,
		"payload":{"push_key_id":"7","encrypted_data":%q}}`,
		push.TokenID(token), id, someData)
}

// answer returns the response to a notification call.
func answer(android, apple, web int, dead, later string) string {
	return fmt.Sprintf(`{"result":"success","msg":"",
		"android_successfully_sent_count":%d,"apple_successfully_sent_count":%d,
		"web_successfully_sent_count":%d,"delete_token_ids":[%s],"retry_token_ids":[%s],
		"realm_push_status":{"can_push":true,"expected_end_timestamp":null}}`, android, apple, web, dead, later)
}

func quoted(token string) string { return fmt.Sprintf("%q", push.TokenID(token)) }
