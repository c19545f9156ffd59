package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// WebDevice is what is known of a device that the server notifies by Web Push, without a push service of apps.
type WebDevice struct {
	Subscription Subscription
	Withdraws    bool // it takes notifications that only withdraw others; browsers show one for all that they get
	// Failures counts the tries since the last success. A new device has one, so that notifications of devices that
	// are known to work never wait for it.
	Failures int
	RetryAt  time.Time // when to try again, if there are failures
}

// Waits between tries to reach a device.
const (
	webRetry = 5 * time.Second // after the first failure; it doubles with each further one
	webLate  = time.Hour       // and is never longer, unless the service asks for it
)

// NewWebDevice returns a device that has yet to be reached.
func NewWebDevice(s Subscription, withdraws bool, now time.Time) *WebDevice {
	return &WebDevice{Subscription: s, Withdraws: withdraws, Failures: 1, RetryAt: now}
}

// Fail notes that the device could not be reached; its service may have asked for a wait.
func (d *WebDevice) Fail(now time.Time, asked time.Duration) {
	d.RetryAt = now.Add(max(asked, min(webRetry<<min(d.Failures, 20), webLate)))
	d.Failures++
}

// WebTokenID identifies a subscription among the devices of a realm.
func WebTokenID(s *Subscription) string { return TokenID(s.Endpoint.String()) }

// WebKey derives the key pair by which push services know the server (VAPID, RFC 8292) from a secret.
func WebKey(secret []byte) (*ecdsa.PrivateKey, error) {
	for i := range 100 { // the first is good but for once in 2³² secrets
		raw, err := hkdf.Key(sha256.New, secret, nil, fmt.Sprintf("VAPID key %d", i), 32)
		if err != nil {
			return nil, err
		}
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw); err == nil {
			return key, nil
		}
	}
	return nil, fmt.Errorf("no VAPID key can be derived")
}

// WebPublicKey is the public key in the form of applicationServerKey, in which browsers want it.
func WebPublicKey(key *ecdsa.PrivateKey) (string, error) {
	b, err := key.PublicKey.Bytes()
	return base64.RawURLEncoding.EncodeToString(b), err
}

// WebNotification is one notification for one Web Push subscription.
type WebNotification struct {
	To      Subscription
	Payload []byte        // JSON, at most MaxWebPayload bytes
	Topic   string        // what is yet undelivered with the same topic is replaced; see WebTopic
	TTL     time.Duration // for which the service keeps it for a device that is offline
	Quiet   bool          // low priority
}

// WebResult is what became of a WebNotification.
type WebResult struct {
	Outcome Outcome
	Wait    time.Duration // that the service asks for before a repeat
}

// WebTopic returns a topic for the Topic header that reveals nothing of what it stands for.
func WebTopic(s *Subscription, what string) string {
	sum := sha256.Sum256(slices.Concat(s.Auth[:], []byte(what)))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// WebMessage and WebRemove are payloads with the number of unread messages that the person was notified of. Service
// workers and apps show it as the badge of the app.
type (
	WebMessage struct {
		Message
		Badge int `json:"badge"`
	}
	WebRemove struct {
		Remove
		Badge int `json:"badge"`
	}
)

// Sizes of payloads in bytes.
const (
	MaxPayload    = 2800 // of what a push service of apps carries; in base64 it has to fit APNs and FCM
	MaxWebPayload = 3900 // an encrypted record has 4096
)

// Encode returns a payload as JSON of at most limit bytes. The text of a message is shortened if it has to be, and if
// that is not enough, the recipients of a direct message are left out.
func Encode(payload any, limit int) ([]byte, error) {
	text, err := marshal(payload)
	var m *Message
	again := func() ([]byte, error) { return marshal(m) }
	switch p := payload.(type) {
	case Message:
		m = &p
	case WebMessage:
		m, again = &p.Message, func() ([]byte, error) { return marshal(p) }
	}
	for err == nil && len(text) > limit && m != nil {
		switch {
		case m.Content != "" && m.Content != "…":
			m.Content = cut(m.Content, len(text)-limit)
		case len(m.Recipients) > 0:
			m.Recipients = nil
		default:
			return nil, fmt.Errorf("a payload has %d bytes, more than %d", len(text), limit)
		}
		text, err = again()
	}
	return text, err
}

// cut takes at least n bytes and a few from the end of a text.
func cut(text string, n int) string {
	text = strings.TrimSuffix(text, "…")
	at := max(0, len(text)-n-len("…"))
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}

// marshal is json.Marshal without the escapes that protect HTML.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
