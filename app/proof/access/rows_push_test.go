package access_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
)

func pushTable() table {
	olgas := func(x cell) bool { return x.c == x.w.olga }
	none := func(cell) bool { return false }
	const registers, tests = "POST /mobile_push/register", "POST /mobile_push/e2ee/test_notification"
	const unused = "The server uses no push service."
	d := &family{
		name:     "device",
		missing:  map[string]string{"device_id": "987654321"},
		variants: []variant{{kind: "device", relation: "of olga"}},
		sees:     olgas,
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST /register_client_device").Int("device_id"))
			return object{map[string]string{"device_id": id, "id": id}}
		},
	}
	return table{
		"push",
		"Devices for push notifications.",
		[]*row{
			{route: "POST /register_client_device", rule: "Users other than bots, for themselves.", who: humans},
			{
				route: "POST /remove_client_device",
				rule:  "Users other than bots, for themselves.",
				who:   humans,
				on:    d,
				may:   olgas,
				with:  []string{"device_id", "{device_id}"},
				lasts: true,
			},
			{
				route: "POST /remove_client_device", name: "own", rule: "Users other than bots.", who: humans,
				do: onDevice("POST /remove_client_device"),
			},
			{
				route: registers,
				name:  "without a push service",
				rule:  unused,
				who:   humans,
				may:   none,
				with:  []string{"device_id", "1"},
			},
			{
				route: registers, rule: "The owner of the device.", who: humans, on: d, may: olgas,
				do: withPush(func(w *fixture, x cell) *kittest.Response {
					return w.ask(x.c, registers, registration(x.o.fields["device_id"])...)
				}),
			},
			{
				route: registers,
				name:  "own",
				rule:  "Users other than bots.",
				who:   humans,
				do:    withPush(onDevice(registers, registration("")[2:]...)),
			},
			{route: "GET /web_push/key", rule: "No one.", who: humans, may: none},
			{route: "POST /web_push/register", rule: "No one.", who: humans, may: none, with: []string{
				"subscription", `{"endpoint":"https://push.example.com/x","keys":{"auth":"AAAAAAAAAAAAAAAAAAAAAA","p256dh":"` +
					`BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"}}`,
			}},
			{route: tests, name: "without a push service", rule: unused, who: humans, may: none},
			{
				route: tests,
				name:  "without a device",
				rule:  "No one.",
				who:   humans,
				may:   none,
				do: withPush(func(w *fixture, x cell) *kittest.Response {
					return w.ask(x.c, tests, "device_id", "987654321")
				}),
			},
			{route: tests, rule: "Users other than bots who have a device.", who: humans, do: withPush(testsDevice)},
			{route: "POST /mobile_push/test_notification", rule: "Users other than bots.", who: humans},
			{
				route: "POST /users/me/android_gcm_reg_id",
				rule:  "Users other than bots, for themselves.",
				who:   humans,
				with:  []string{"token", "token-{n}"},
			},
			{
				route: "DELETE /users/me/android_gcm_reg_id",
				rule:  "Users other than bots, for their own; here no one has any.",
				who:   humans,
				may:   none,
				with:  []string{"token", "t"},
			},
			{
				route: "DELETE /users/me/android_gcm_reg_id", name: "own", rule: "Users other than bots.", who: humans,
				do: afterwards("POST /users/me/android_gcm_reg_id", "DELETE /users/me/android_gcm_reg_id", "token", "mine"),
			},
			{
				route: "POST /users/me/apns_device_token",
				rule:  "Users other than bots, for themselves.",
				who:   humans,
				with:  []string{"token", "abcd", "appid", "org.example"},
			},
			{
				route: "DELETE /users/me/apns_device_token",
				rule:  "Users other than bots, for their own; here no one has any.",
				who:   humans,
				may:   none,
				with:  []string{"token", "ef"},
			},
			{
				route: "DELETE /users/me/apns_device_token",
				name:  "own",
				rule:  "Users other than bots.",
				who:   humans,
				do: afterwards(
					"POST /users/me/apns_device_token",
					"DELETE /users/me/apns_device_token",
					"token",
					"abba",
					"appid",
					"org.example",
				),
			},
		},
	}
}

// withPush sends a row's request while the server has a push service.
func withPush(do func(w *fixture, x cell) *kittest.Response) func(w *fixture, x cell) *kittest.Response {
	return func(w *fixture, x cell) *kittest.Response {
		w.push.Set(true)
		defer w.push.Set(false)
		return do(w, x)
	}
}

// onDevice sends a request for a device that the caller has just added.
func onDevice(call string, params ...string) func(w *fixture, x cell) *kittest.Response {
	return func(w *fixture, x cell) *kittest.Response {
		a := w.ask(x.c, "POST /register_client_device")
		if a.Status != http.StatusOK {
			return a
		}
		return w.ask(x.c, call, append([]string{"device_id", fmt.Sprint(a.Int("device_id"))}, params...)...)
	}
}

// testsDevice sends a test notification to a device that the push service has accepted.
func testsDevice(w *fixture, x cell) *kittest.Response {
	if a := onDevice("POST /mobile_push/register", registration("")[2:]...)(w, x); a.Status != http.StatusOK {
		return a
	}
	w.s.RunJob("push.forward")
	return w.ask(x.c, "POST /mobile_push/e2ee/test_notification")
}

// registration returns a device's parameters, with a key and a token.
func registration(device string) []string {
	return []string{
		"device_id", device, "push_key_id", "1",
		"push_key", base64.StdEncoding.EncodeToString([]byte("1" + strings.Repeat("k", 32))),
		"token_kind", "fcm", "token_id", push.TokenID("token"), "bouncer_public_key", "Ym91bmNlcg==",
		"encrypted_push_registration", "c2VhbGVk",
	}
}

// afterwards sends a request after another one with the same parameters, unless that was refused.
func afterwards(first, then string, params ...string) func(w *fixture, x cell) *kittest.Response {
	return func(w *fixture, x cell) *kittest.Response {
		if a := w.ask(x.c, first, params...); a.Status != http.StatusOK {
			return a
		}
		return w.ask(x.c, then, params...)
	}
}
