package pushrelay_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"golang.org/x/crypto/nacl/secretbox"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/app/kittest"
	domainpush "github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/alertwords"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/ports"
)

// chat is a server that uses the relay, and two devices of bob.
type chat struct {
	*kittest.Server
	key  [32]byte
	wire bytes.Buffer // what the relay received
}

func startChat(t *testing.T, r *relayServer) *chat {
	t.Helper()
	c := &chat{}
	at, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(at)
		body, _ := io.ReadAll(p.In.Body)
		p.Out.Body = io.NopCloser(bytes.NewReader(body))
		c.wire.Write(body)
		if form, err := url.ParseQuery(string(body)); err == nil {
			fmt.Fprint(&c.wire, form)
		}
	}})
	t.Cleanup(front.Close)
	c.Server = kittest.StartWith(t, kittest.Options{Clock: r.Clock, Config: fmt.Sprintf(
		"adapters: {push: {use: relay, url: %q, server_id: %s, server_key: %s}}", front.URL, r.server.ID, r.server.Key)},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, topics.Module,
		presence.Module, alertwords.Module, notifications.Module, push.Module, relay.Module, webpush.Module)
	_, _ = rand.Read(c.key[:])
	for token, kind := range map[string]domainpush.TokenKind{apnsToken: domainpush.APNs, fcmToken: domainpush.FCM} {
		device := fmt.Sprint(c.As("bob").Do("POST /register_client_device").OK().Int("device_id"))
		c.As("bob").Do("POST /mobile_push/register", "device_id", device, "push_key_id", "77",
			"push_key", base64.StdEncoding.EncodeToString(append([]byte{0x31}, c.key[:]...)),
			"token_kind", string(kind), "token_id", domainpush.TokenID(token), "bouncer_public_key", r.public,
			"encrypted_push_registration", seal(t, r.public, r.registration(kind, token))).OK()
	}
	c.RunJob("push.forward")
	return c
}

// run sends pending notifications.
func (c *chat) run() {
	c.T.Helper()
	c.RunJob("notifications.judge notifications")
	c.RunJob("push.push notifications")
}

// content is the payload that a device decrypts.
type content struct {
	Type    string  `json:"type"`
	User    int64   `json:"user_id"`
	URL     string  `json:"realm_url"`
	Realm   string  `json:"realm_name"`
	Message int64   `json:"message_id"`
	Content string  `json:"content"`
	Sender  string  `json:"sender_full_name"`
	Removed []int64 `json:"message_ids"`
}

// read decrypts a notification like bob's devices.
func (c *chat) read(d delivered) content {
	c.T.Helper()
	var payload struct {
		KeyID json.RawMessage `json:"push_key_id"`
		Data  string          `json:"encrypted_data"`
	}
	var out content
	if err := json.Unmarshal(d.payload, &payload); err != nil || strings.Trim(string(payload.KeyID), `"`) != "77" {
		c.T.Fatalf("the payload is %s", d.payload)
	}
	if err := json.Unmarshal(unbox(c.T, c.key, payload.Data), &out); err != nil {
		c.T.Fatal(err)
	}
	return out
}

const fcmToken = "fcm-token-of-bob:APA91b"

// TestEndToEnd checks that a message reaches each device once, even after an outage of one push service, and is
// withdrawn when read. Nothing that the relay receives, stores or logs contains a token or content in plain text.
func TestEndToEnd(t *testing.T) {
	dir := t.TempDir()
	r := start(t, "sqlite:"+filepath.Join(dir, "relay.db"), "")
	c := startChat(t, r)
	bob, to := c.As("bob"), fmt.Sprintf("[%d]", c.UserID("bob"))
	const words = "the quick brown fox"
	id := c.As("alice").Do("POST /messages", "type", "direct", "to", to, "content", words).OK().Int("id")

	r.apns.refuse(apnsToken, slices.Repeat([]refusal{{status: 503}}, 99)...)
	c.run()
	got := c.read(r.fcm.takeOne())
	if got.Type != "message" || got.URL != c.URL || got.User != int64(c.UserID("bob")) || got.Message != id ||
		got.Content != words || got.Sender == "" || got.Realm == "" {
		t.Errorf("bob reads %+v", got)
	}
	r.apns.refuse(apnsToken)
	r.apns.takeDelivered()
	c.run() // not yet due
	if _, n := r.apns.takeDelivered(); n != 0 {
		t.Error("APNs was called again immediately")
	}
	for range 2 {
		c.Clock.Advance(10 * time.Minute)
		c.run()
	}
	on := r.apns.takeOne()
	if again := c.read(on); fmt.Sprint(again) != fmt.Sprint(got) || on.token != apnsToken {
		t.Errorf("bob reads %+v", again)
	}
	if all, _ := r.fcm.takeDelivered(); len(all) != 0 {
		t.Errorf("FCM got the message %d times more", len(all))
	}

	bob.Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", id), "op", "add", "flag", "read").OK()
	c.run()
	for _, d := range []delivered{r.apns.takeOne(), r.fcm.takeOne()} {
		if gone := c.read(d); gone.Type != "remove" || len(gone.Removed) != 1 || gone.Removed[0] != id {
			t.Errorf("bob reads %+v", gone)
		}
	}

	r.apns.refuse(apnsToken, refusal{status: 410, body: `{"reason":"Unregistered"}`})
	bob.Do("POST /mobile_push/e2ee/test_notification").OK()
	r.fcm.takeOne()
	r.fcm.refuse(fcmToken, slices.Repeat([]refusal{{status: 503}}, 99)...)
	bob.Do("POST /mobile_push/e2ee/test_notification").OK() // a repeat within the same second
	c.Clock.Advance(time.Minute)
	bob.Do("POST /mobile_push/e2ee/test_notification").Error(502, "INTERNAL_SERVER_ERROR_ON_BOUNCER", "")
	r.fcm.refuse(fcmToken, refusal{status: 404, body: `{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}`})
	bob.Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")

	seen := map[string][]byte{"what the relay received": c.wire.Bytes(), "its log": r.log.Bytes()}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		if seen[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	for where, b := range seen {
		if len(b) == 0 {
			t.Errorf("%s is empty", where)
		}
		for _, secret := range []string{
			apnsToken, fcmToken, words, got.Sender, got.Realm, c.URL, "realm_url", r.server.Key,
		} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s holds %q", where, secret)
			}
		}
	}
}

// unbox decrypts data like a device.
func unbox(t testing.TB, key [32]byte, data string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(b) < 24 {
		t.Fatalf("%q is not encrypted: %v", data, err)
	}
	text, ok := secretbox.Open(nil, b[24:], (*[24]byte)(b), &key)
	if !ok {
		t.Fatal("the key does not decrypt it")
	}
	return text
}

// Values produced by libsodium: crypto_box_seal for the key pair, and crypto_secretbox_easy preceded by its nonce.
const (
	sodiumPrivate = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
	sodiumPublic  = "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="
	sodiumToken   = "fcm-token-of-a-vector:APA91b"
	sodiumSealed  = "yHa3VqEnanLk1MoMOq5rh45s11DunZmiTFSO4njeDwf5U8kpgSJDNefldkUpA+bW59FAcdkOeN3KrFxeYc4J0SejnZ3q7i6C" +
		"ahiUiS6unp8T3BmNzKLMtEgFLB8d2TwNePba1iXz01Yb24GPpzDqcsDvjANMXYxTch0+Cc1K+wrD2ZApXk6r"
	sodiumKey = "0123456789abcdef0123456789abcdef"
	sodiumBox = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX+TTtnSg6eBvJHJUfdcO3I7cvGn0AFHOaBXLxUutRhA=="
)

// TestLibsodium checks that the relay can decrypt boxes made by libsodium.
func TestLibsodium(t *testing.T) {
	if got := string(unbox(t, [32]byte([]byte(sodiumKey)), sodiumBox)); got != `{"type":"test"}` {
		t.Errorf("the box contains %s", got)
	}
	type needs struct {
		fx.In
		DB     *bunstore.DB
		Sealer ports.Sealer
	}
	var given needs
	r := start(t, "", "", kit.Define("vault", "Stores a key.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		given = n
		return kit.Parts{}, nil
	}))
	sealed, err := given.Sealer.Seal("private key of push relay key "+sodiumPublic, sodiumPrivate)
	if err != nil {
		t.Fatal(err)
	}
	r.Do(func(ctx context.Context) error {
		_, err := given.DB.From(ctx).NewInsert().Table("push_relay_keys").Model(&map[string]any{
			"public_key": sodiumPublic, "private_key": sealed, "created_at": r.Clock.Now(),
		}).Exec(ctx)
		return err
	})
	r.as(r.server).Do(registerPath, "realm_uuid", realmUUID, "token_id", domainpush.TokenID(sodiumToken),
		"bouncer_public_key", sodiumPublic, "encrypted_push_registration", sodiumSealed).OK()
	r.notify(forFCM(sodiumToken, "high")).Is(200, answer(1, 0, 0, "", ""))
	if got := r.fcm.takeOne(); got.token != sodiumToken {
		t.Errorf("FCM got %+v", got)
	}
}
