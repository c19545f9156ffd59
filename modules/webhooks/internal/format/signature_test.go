package format

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"testing"
)

// TestServiceSignatures signs a body as the documentation of each service describes it.
func TestServiceSignatures(t *testing.T) {
	const body, secret = `{"a":1}`, "secret"
	sign := func(kind func() hash.Hash, text string, encode func([]byte) string) string {
		m := hmac.New(kind, []byte(secret))
		m.Write([]byte(text))
		return encode(m.Sum(nil))
	}
	hexed := sign(sha256.New, body, hex.EncodeToString)
	signed := map[string]map[string]string{
		"bitbucket": {"X-Hub-Signature": "sha256=" + hexed},
		"buildkite": {"X-Buildkite-Signature": "timestamp=1619071700,signature=" +
			sign(sha256.New, "1619071700."+body, hex.EncodeToString)},
		"flux":   {"X-Signature": "sha256=" + hexed},
		"linear": {"Linear-Signature": hexed},
	}
	for _, one := range services(t) {
		headers, ok := signed[one.Name]
		if ok != (one.Verify != nil) {
			t.Errorf("%s: has a signature: %t; in this test: %t", one.Name, one.Verify != nil, ok)
		}
		if !ok || one.Verify == nil {
			continue
		}
		r := payload{Body: body, Headers: headers}.request()
		if !one.Verify(r, secret) {
			t.Errorf("%s: a valid signature was refused", one.Name)
		}
		changed := r
		changed.Body = []byte(body + " ")
		if one.Verify(r, "other") || one.Verify(changed, secret) || one.Verify(payload{Body: body}.request(), secret) {
			t.Errorf("%s: an invalid signature was accepted", one.Name)
		}
	}
}
