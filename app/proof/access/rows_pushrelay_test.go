package access_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/nacl/box"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// pushrelayTable describes a module whose callers are servers, with keys that no account has.
func pushrelayTable() table {
	const rule = "Registered servers, with their own keys."
	nobody := always("401 UNAUTHORIZED")
	return table{"pushrelay", "The push relay, for other servers.", []*row{
		{
			route: "GET mount /api/v1/remotes/push/e2ee/register", rule: rule, who: nobody,
			call: "POST mount /api/v1/remotes/push/e2ee/register",
		},
		{
			route: "GET mount /api/v1/remotes/push/e2ee/register", name: "by such a server", rule: rule, who: anyone,
			do: registersToken,
		},
		{
			route: "GET mount /api/v1/remotes/push/e2ee/notify", rule: rule, who: nobody,
			call: "POST mount /api/v1/remotes/push/e2ee/notify",
		},
	}}
}

// registersToken registers a device's token as a registered server, whoever the caller is.
func registersToken(w *fixture, _ cell) *kittest.Response {
	w.t.Helper()
	keys, err := w.s.Ports.PushRelay.Keys(w.t.Context())
	w.must(err)
	if len(keys) == 0 {
		key, err := w.s.Ports.PushRelay.CreateKey(w.t.Context())
		w.must(err)
		keys = append(keys, key)
	}
	of, err := w.s.Ports.PushRelay.AddServer(w.t.Context(), relay.Server{Name: w.fresh()})
	w.must(err)
	raw, err := base64.StdEncoding.DecodeString(keys[0].Public)
	w.must(err)
	plain := fmt.Appendf(nil, `{"token":"t","token_kind":"fcm","timestamp":%d}`, w.s.Clock.Now().Unix())
	sealed, err := box.SealAnonymous(nil, plain, (*[32]byte)(raw), rand.Reader)
	w.must(err)
	return w.s.WithKey(of.ID, of.Key).Do("POST /remotes/push/e2ee/register",
		"realm_uuid", "0190f4f5-3d0c-7c3e-9a51-0123456789ab", "token_id", push.TokenID("t"),
		"bouncer_public_key", keys[0].Public, "encrypted_push_registration", base64.StdEncoding.EncodeToString(sealed))
}
