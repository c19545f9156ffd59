package format

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
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
		"clickup":   {"X-Signature": hexed},
		"discourse": {"X-Discourse-Event-Signature": "sha256=" + hexed},
		"flux":      {"X-Signature": "sha256=" + hexed},
		"helpscout": {"X-HelpScout-Signature": sign(sha1.New, body, base64.StdEncoding.EncodeToString)},
		"heroku":    {"Heroku-Webhook-Hmac-SHA256": sign(sha256.New, body, base64.StdEncoding.EncodeToString)},
		"intercom":  {"X-Hub-Signature": "sha1=" + sign(sha1.New, body, hex.EncodeToString)},
		"linear":    {"Linear-Signature": hexed},
		"notion":    {"X-Notion-Signature": "sha256=" + hexed},
		"snyk":      {"X-Hub-Signature": "sha256=" + hexed},
		"sonarqube": {"X-Sonar-Webhook-HMAC-SHA256": hexed},
		"typeform":  {"Typeform-Signature": "sha256=" + sign(sha256.New, body, base64.StdEncoding.EncodeToString)},
		"vercel":    {"X-Vercel-Signature": sign(sha1.New, body, hex.EncodeToString)},
		"zendesk": {
			"X-Zendesk-Webhook-Signature-Timestamp": "2026-02-03T10:00:00Z",
			"X-Zendesk-Webhook-Signature": sign(sha256.New, "2026-02-03T10:00:00Z"+body,
				base64.StdEncoding.EncodeToString),
		},
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
