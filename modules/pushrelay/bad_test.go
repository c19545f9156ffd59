package pushrelay_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// TestBadRegistration checks that a refused registration stores nothing.
func TestBadRegistration(t *testing.T) {
	r := start(t, "", "max_realms: 1")
	now := r.Clock.Now()
	other := "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	with := func(form []string, name, value string) []string {
		out := append([]string{}, form...)
		for i := 0; i < len(out); i += 2 {
			if out[i] == name {
				out[i+1] = value
			}
		}
		return out
	}
	good := r.form(push.FCM, "t")
	sealed := func(change fields) []string {
		f := r.registration(push.FCM, "t")
		for k, v := range change {
			f[k] = v
		}
		return r.formOf(fmt.Sprint(f["token"]), f)
	}
	foreign := seal(t, other, r.registration(push.FCM, "t"))
	apns := func(token, app string) []string {
		return sealed(fields{"token_kind": "apns", "token": token, "ios_app_id": app})
	}
	web := func(token string) []string { return sealed(fields{"token_kind": "web", "token": token}) }
	at := func(endpoint string) []string { return web(r.device.Subscription(endpoint)) }
	keys := func(key, auth string) []string {
		return web(`{"endpoint":"https://example.com/","keys":{"p256dh":"` + key + `","auth":"` + auth + `"}}`)
	}
	point := base64.RawURLEncoding.EncodeToString(make([]byte, 65))
	for _, c := range []struct {
		name string
		form []string
		code string
	}{
		{"no parameters", nil, "BAD_REQUEST"},
		{"a realm that is not a UUID", with(good, "realm_uuid", "1"), "BAD_REQUEST"},
		{"a token ID that is not base64", with(good, "token_id", "!"), "BAD_REQUEST"},
		{"a token ID with a line break", with(good, "token_id", push.TokenID("t")+"\n"), "BAD_REQUEST"},
		{"the ID of another token", with(good, "token_id", push.TokenID("u")), "BAD_REQUEST"},
		{"a key that is not base64", with(good, "bouncer_public_key", "!"), "INVALID_BOUNCER_PUBLIC_KEY"},
		{"a key with a line break", with(good, "bouncer_public_key", r.public+"\n"), "INVALID_BOUNCER_PUBLIC_KEY"},
		{"a short key", with(good, "bouncer_public_key", "AAAA"), "INVALID_BOUNCER_PUBLIC_KEY"},
		{"another key", with(good, "bouncer_public_key", other), "INVALID_BOUNCER_PUBLIC_KEY"},
		{"a box that is not base64", with(good, "encrypted_push_registration", "!"), "BAD_REQUEST"},
		{"a box with a line break", with(good, "encrypted_push_registration", good[7]+"\n"), "BAD_REQUEST"},
		{"a box of nothing", with(good, "encrypted_push_registration", "AAAA"), "BAD_REQUEST"},
		{"a box sealed for another key", with(good, "encrypted_push_registration", foreign), "BAD_REQUEST"},
		{"a box of text", with(good, "encrypted_push_registration", seal(t, r.public, "text")), "BAD_REQUEST"},
		{"a large box", with(good, "encrypted_push_registration", strings.Repeat("A", 33<<10)), "BAD_REQUEST"},
		{"no timestamp", sealed(fields{"timestamp": nil}), "BAD_REQUEST"},
		{"a timestamp in text", sealed(fields{"timestamp": "now"}), "BAD_REQUEST"},
		{"an old one", sealed(fields{"timestamp": now.Add(-25 * time.Hour).Unix()}), "REQUEST_EXPIRED"},
		{"one from the future", sealed(fields{"timestamp": now.Add(25 * time.Hour).Unix()}), "BAD_REQUEST"},
		{"no token", sealed(fields{"token": ""}), "BAD_REQUEST"},
		{"a long token", sealed(fields{"token": strings.Repeat("x", 4097)}), "BAD_REQUEST"},
		{"a token with spaces", sealed(fields{"token": "a b"}), "BAD_REQUEST"},
		{"no kind", sealed(fields{"token_kind": ""}), "BAD_REQUEST"},
		{"an unknown kind", sealed(fields{"token_kind": "pigeon"}), "BAD_REQUEST"},
		{"an app of FCM", sealed(fields{"ios_app_id": app}), "BAD_REQUEST"},
		{"no app of APNs", sealed(fields{"token_kind": "apns", "token": "ab"}), "BAD_REQUEST"},
		{"an unknown app", apns("ab", "org.example.other"), "BAD_REQUEST"},
		{"APNs with text", apns("../x", app), "BAD_REQUEST"},
		{"Web Push without a subscription", web("x"), "BAD_REQUEST"},
		{"Web Push without TLS", at("http://127.0.0.1:443/"), "BAD_REQUEST"},
		{"Web Push inside", at("https://10.0.0.1/x"), "BAD_REQUEST"},
		{"Web Push with a password", at("https://a:b@example.com/x"), "BAD_REQUEST"},
		{"Web Push with a key off the curve", keys(point, "AAAAAAAAAAAAAAAAAAAAAA"), "BAD_REQUEST"},
		{"Web Push with a short secret", keys("", "AA"), "BAD_REQUEST"},
	} {
		a := r.as(r.server).Do(registerPath, c.form...)
		if a.Status != 400 || a.String("code") != c.code {
			t.Errorf("%s: %d %s", c.name, a.Status, a.Body)
		}
	}
	large := strings.NewReader(strings.Repeat("x", 65<<10))
	r.as(r.server).Send(registerPath, "text/plain", large).Error(413, "REQUEST_TOO_LARGE", "")
	r.as(r.server).Send(registerPath, "text/plain", strings.NewReader("%zz")).Error(400, "BAD_REQUEST", "")
	r.notify(forFCM("t", "high")).Error(403, "MISSING_REMOTE_REALM", "") // nothing was registered
	r.as(r.server).Do(registerPath, good...).OK()
	r.as(r.server).Do(registerPath, with(good, "realm_uuid", uuid.NewString())...).Error(403, "MISSING_REMOTE_REALM", "")
	r.notify(forFCM("t", "high")).Is(200, answer(1, 0, 0, "", ""))
}

// TestBadNotification checks that a refused notification is not delivered.
func TestBadNotification(t *testing.T) {
	r := start(t, "", "max_requests: 3")
	r.register(push.FCM, "t")
	id := push.TokenID("t")
	body := func(requests string) string {
		return `{"realm_uuid":"` + realmUUID + `","push_requests":` + requests + `}`
	}
	one := func(fields string) string { return body(`[{"token_id":"` + id + `",` + fields + `}]`) }
	payload := func(key, data string) string {
		return `"payload":{"push_key_id":"` + key + `","encrypted_data":"` + data + `"}`
	}
	const fcm, odd = `"fcm_priority":"high",`, `"http_headers":{"apns_priority":10,"apns_push_type":"background"},`
	good := payload("1", "AAAA")
	for name, text := range map[string]string{
		"no JSON":           "{",
		"a list":            "[]",
		"no realm":          `{"push_requests":[]}`,
		"no list":           body(`{"a":1}`),
		"a text":            body(`"x"`),
		"no token":          body(`[{` + fcm + good + `}]`),
		"no kind":           one(good),
		"two kinds":         one(fcm + `"web_urgency":"high",` + good),
		"an odd priority":   one(`"fcm_priority":"urgent",` + good),
		"odd headers":       one(odd + good),
		"no payload":        one(`"fcm_priority":"high"`),
		"a large key ID":    one(fcm + payload("4294967296", "AAAA")),
		"no base64":         one(fcm + payload("1", "!")),
		"large data":        one(fcm + payload("1", strings.Repeat("A", 3804))),
		"a long identifier": one(`"notification_id":"` + strings.Repeat("x", 101) + `",` + fcm + good),
		"too many":          body("[" + strings.Repeat(forFCM("t", "high")+",", 3) + forFCM("t", "high") + "]"),
		"one of two":        body("[" + forFCM("t", "high") + `,{"token_id":""}]`),
	} {
		a := r.as(r.server).Send(notifyPath, "application/json", strings.NewReader(text))
		if a.Status != 400 || a.String("code") != "BAD_REQUEST" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	large := strings.NewReader(strings.Repeat(" ", 4<<20))
	r.as(r.server).Send(notifyPath, "application/json", large).Error(413, "REQUEST_TOO_LARGE", "")
	if _, n := r.fcm.takeDelivered(); n != 0 {
		t.Errorf("FCM was asked %d times", n)
	}

	// A device that registers with the wrong kind of token affects no other device.
	r.register(push.FCM, "u")
	r.notify(forAPNs("t", someData), forFCM("u", "high")).Is(200, answer(1, 0, 0, quoted("t"), ""))
	r.fcm.takeOne()
	r.notify().Is(200, answer(0, 0, 0, "", ""))
}

// TestServers checks which servers can call the relay, and that their devices are separate.
func TestServers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		r := start(t, database, "")
		r.register(push.FCM, "t")
		for name, c := range map[string]relay.Credentials{
			"nobody": {}, "no such server": {ID: uuid.NewString(), Key: r.server.Key}, "no ID": {ID: "'\x00", Key: r.server.Key},
			"no key": {ID: r.server.ID}, "a wrong key": {ID: r.server.ID, Key: r.server.Key + "A"},
		} {
			a := r.as(c).Do(registerPath, r.form(push.FCM, "t")...)
			if a.Status != 401 || a.String("code") != "UNAUTHORIZED" {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
		// The caller is authenticated before the body is read, so an incomplete body makes no difference.
		for status, c := range map[string]relay.Credentials{"401": {ID: r.server.ID, Key: "x"}, "400": r.server} {
			if got := r.truncatedCall(c); got != status {
				t.Errorf("status %s for an incomplete body, want %s", got, status)
			}
		}
		r.As("alice").Do(registerPath, r.form(push.FCM, "t")...).Error(401, "UNAUTHORIZED", "")
		r.as(r.server).Do("GET /remotes/push/e2ee/register").Error(405, "METHOD_NOT_ALLOWED", "")
		r.as(r.server).Do("POST /remotes/push/e2ee/register/x").Error(404, "NOT_FOUND", "")

		// Servers do not share devices, even for organizations with the same UUID.
		second := r.add("second")
		first := r.server
		r.server = second
		r.notify(forFCM("t", "high")).Error(403, "MISSING_REMOTE_REALM", "")
		r.register(push.FCM, "u")
		r.notify(forFCM("t", "high")).Is(200, answer(0, 0, 0, quoted("t"), ""))
		r.server = first
		r.notify(forFCM("t", "high")).Is(200, answer(1, 0, 0, "", ""))

		admin := r.Ports.PushRelay
		if _, err := admin.AddServer(t.Context(), relay.Server{Name: "chat"}); err == nil {
			t.Error("a name was used twice")
		}
		for _, name := range []string{"", " x", "a\nb", strings.Repeat("x", 101)} {
			if _, err := admin.AddServer(t.Context(), relay.Server{Name: name}); err == nil {
				t.Errorf("a server is named %q", name)
			}
		}
		all, err := admin.Servers(t.Context())
		if err != nil || len(all) != 2 || all[0].Name != "chat" || all[0].Devices != 1 || all[1].ID != second.ID {
			t.Errorf("servers: %+v %v", all, err)
		}
		if err := admin.RemoveServer(t.Context(), "chat"); err != nil {
			t.Fatal(err)
		}
		if err := admin.RemoveServer(t.Context(), "chat"); err == nil {
			t.Error("a server was removed twice")
		}
		r.notify(forFCM("t", "high")).Error(401, "UNAUTHORIZED", "")
		r.Clock.Advance(2 * time.Hour)
		r.RunJob("pushrelay.purge")
		r.server = r.add("chat")
		r.notify(forFCM("t", "high")).Error(403, "MISSING_REMOTE_REALM", "")
		r.server = second
		r.notify(forFCM("u", "high")).Is(200, answer(1, 0, 0, "", ""))
	})
}

// truncatedCall makes a call with an incomplete body and returns the status of the response.
func (r *relayServer) truncatedCall(c relay.Credentials) string {
	r.t.Helper()
	req := r.as(c).Request(notifyPath, nil)
	conn, err := new(net.Dialer).DialContext(r.t.Context(), "tcp", req.URL.Host)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Length: 99999\r\n\r\n%9999d",
		req.URL.Path, req.URL.Host, req.Header.Get("Authorization"), 1)
	if err == nil {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := io.ReadAll(conn)
	if err != nil || len(b) < 12 {
		r.t.Fatalf("%q %v", b, err)
	}
	return string(b[9:12])
}

// TestQuotas checks that requests over a quota are refused and accepted again later.
func TestQuotas(t *testing.T) {
	r := start(t, "", "registrations: 2, notifications: 3")
	r.register(push.FCM, "a")
	r.register(push.FCM, "b")
	a := r.as(r.server).Do(registerPath, r.form(push.FCM, "c")...).Error(429, "RATE_LIMIT_HIT", "")
	if a.Header.Get("Retry-After") != "43200" {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
	r.Clock.Advance(12 * time.Hour)
	r.register(push.FCM, "c")
	all := []string{forFCM("a", "high"), forFCM("b", "high"), forFCM("c", "high")}
	r.notify(append(all, all[0])...).Error(400, "BAD_REQUEST", "at most 3")
	r.notify(all...).Is(200, answer(3, 0, 0, "", ""))
	r.notify(all[0]).Error(429, "RATE_LIMIT_HIT", "")
	r.Clock.Advance(20 * time.Second)
	r.notify(all[:2]...).Error(429, "RATE_LIMIT_HIT", "")
	r.notify(all[0]).Is(200, answer(1, 0, 0, "", ""))

	c, err := r.Ports.PushRelay.AddServer(t.Context(), relay.Server{Name: "large", Registrations: 3, Notifications: 4})
	if err != nil {
		t.Fatal(err)
	}
	r.server = c
	for _, token := range []string{"a", "b", "c"} {
		r.register(push.FCM, token)
	}
	r.notify(append(all, all[0])...).Is(200, answer(4, 0, 0, "", ""))
}

// TestKeys checks that a replaced key remains valid for registrations for some time.
func TestKeys(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		r := start(t, database, "old_keys: 48h")
		admin := r.Ports.PushRelay
		if _, err := admin.CreateKey(t.Context()); err == nil {
			t.Error("a second key was created")
		}
		former := r.public
		r.Clock.Advance(time.Hour)
		key, err := admin.RotateKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r.public = range []string{former, key.Public} {
			r.register(push.FCM, "t")
		}
		r.Clock.Advance(49 * time.Hour)
		r.public = former
		r.as(r.server).Do(registerPath, r.form(push.FCM, "t")...).Error(400, "INVALID_BOUNCER_PUBLIC_KEY", "")
		r.public = key.Public
		r.register(push.FCM, "t")
		all, err := admin.Keys(t.Context())
		if err != nil || len(all) != 2 || all[0].Public != key.Public || all[1].Public != former {
			t.Errorf("keys: %+v %v", all, err)
		}
		r.RunJob("pushrelay.purge")
		if all, err := admin.Keys(t.Context()); err != nil || len(all) != 1 || all[0].Public != key.Public {
			t.Errorf("keys: %+v %v", all, err)
		}
		r.Restart()
		r.register(push.FCM, "t")
	})
}
