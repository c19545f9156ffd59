package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/plainjson"
)

// WebDevice is the state of a device notified by Web Push, without an app push service.
type WebDevice struct {
	Subscription Subscription
	Withdraws    bool // accepts notifications that only withdraw others; browsers would display them
	// Failures counts the attempts since the last success. A new device has one, so that notifications for devices
	// known to work never wait for it.
	Failures int
	RetryAt  time.Time // time of the next attempt after failures
}

// Delays between attempts.
const (
	webRetry    = 5 * time.Second // after the first failure; doubles with each further one
	webMaxRetry = time.Hour       // the maximum, unless the service requests more
)

// NewWebDevice returns a device that has not been reached yet.
func NewWebDevice(s Subscription, withdraws bool, now time.Time) *WebDevice {
	return &WebDevice{Subscription: s, Withdraws: withdraws, Failures: 1, RetryAt: now}
}

// Fail records a failed attempt. requestedDelay is the delay that the service has requested, or 0.
func (d *WebDevice) Fail(now time.Time, requestedDelay time.Duration) {
	d.RetryAt = now.Add(max(requestedDelay, min(webRetry<<min(d.Failures, 20), webMaxRetry)))
	d.Failures++
}

// WebTokenID returns the token ID of a subscription.
func WebTokenID(s *Subscription) string { return TokenID(s.Endpoint.String()) }

// WebKey derives the VAPID key pair (RFC 8292), which identifies the server to push services, from a secret.
func WebKey(secret []byte) (*ecdsa.PrivateKey, error) {
	for i := range 100 { // the first candidate is invalid for one in 2³² secrets
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

// WebPublicKey returns the public key in the form of applicationServerKey, which browsers expect.
func WebPublicKey(key *ecdsa.PrivateKey) (string, error) {
	b, err := key.PublicKey.Bytes()
	return base64.RawURLEncoding.EncodeToString(b), err
}

// WebNotification is one notification for one Web Push subscription.
type WebNotification struct {
	To      Subscription
	Payload []byte        // JSON, at most MaxWebPayload bytes
	Topic   string        // replaces undelivered notifications with the same topic; see WebTopic
	TTL     time.Duration // how long the service stores it for an offline device
	Quiet   bool          // low priority
}

// WebResult is the result of a WebNotification.
type WebResult struct {
	Outcome Outcome
	Wait    time.Duration // the delay that the service requests before a retry
}

// WebTopic returns a value for the Topic header that reveals nothing about what.
func WebTopic(s *Subscription, what string) string {
	sum := sha256.Sum256(slices.Concat(s.Auth[:], []byte(what)))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// WebMessage is a Message with the user's number of unread notified messages, which service workers and apps show as a
// badge.
type WebMessage struct {
	Message
	Badge int `json:"badge"`
}

// WebRemove is a Remove with the same badge.
type WebRemove struct {
	Remove
	Badge int `json:"badge"`
}

// Maximum lengths of payloads in bytes.
const (
	MaxPayload    = 2800 // for app push services; encoded as base64 it fits APNs and FCM
	MaxWebPayload = 3900 // an encrypted record has 4096
)

// Encode returns a payload as JSON of at most limit bytes. If necessary it truncates the text of a message, and then
// drops the recipients of a direct message.
func Encode(payload any, limit int) ([]byte, error) {
	text, err := plainjson.Marshal(payload)
	var m *Message
	encode := func() ([]byte, error) { return plainjson.Marshal(m) }
	switch p := payload.(type) {
	case Message:
		m = &p
	case WebMessage:
		m, encode = &p.Message, func() ([]byte, error) { return plainjson.Marshal(p) }
	}
	for err == nil && len(text) > limit && m != nil {
		switch {
		case m.Content != "" && m.Content != "…":
			m.Content = cut(m.Content, len(text)-limit)
		case len(m.Recipients) > 0:
			m.Recipients = nil
		default:
			return nil, fmt.Errorf("payload has %d bytes, limit is %d", len(text), limit)
		}
		text, err = encode()
	}
	return text, err
}

// cut removes slightly more than n bytes from the end of a text.
func cut(text string, n int) string {
	text = strings.TrimSuffix(text, "…")
	at := max(0, len(text)-n-len("…"))
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}
