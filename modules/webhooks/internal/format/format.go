// Package format turns requests to incoming webhooks into messages. Each service has a file with the relevant parts of
// its payload and a function that writes the message. The functions are pure: no I/O, no clock.
package format

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Request is a request to an incoming webhook.
type Request struct {
	Type    string // media type of the body
	Body    []byte
	Headers map[string]string // the values of the headers listed in Headers
	Header  func(name string) string
	Wants   func(event string) bool // whether only_events and exclude_events let an event pass; nil: all pass
	Params  map[string]string       // the values of URL options, by key
	Payload string                  // form or query field payload
}

// Message is the message for a request.
type Message struct {
	Event   string // name for only_events and exclude_events; "" if the integration has no events
	Topic   string // used if the URL contains no topic
	Content string // Markdown
}

// Clean returns a message without characters that messages and topics must not contain.
func (m Message) Clean() Message {
	m.Topic = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE {
			return -1
		}
		return r
	}, m.Topic)
	m.Content = strings.ReplaceAll(m.Content, "\x00", "")
	return m
}

// Option is a parameter of an integration's URL.
type Option struct {
	Key, Label, Validator string
}

// Integration is a supported service.
type Integration struct {
	Name          string // last part of the URL
	Display       string
	Events        []string // sorted; nil if there are no event names
	Aliases       []string // other last parts of the URL
	Setup         string   // Markdown: what to configure at the service
	Options       []Option // of the URL
	Config        []Option // of the bot's settings, which apply if the URL does not contain them
	DoubleEscaped bool     // the service escapes the URL parameters stream and topic twice
	Mentions      bool     // mentions notify users, because the user who configures the service writes the content
	Get           bool     // the service checks the URL by GET or HEAD
	Echo          string   // header with which the service checks the URL; the response must repeat it
	Format        func(Request) (Message, error)
	Verify        func(r Request, secret string) bool // checks webhook_secret; nil if the service does not sign requests
	Sample        Sample
}

// All returns the integrations that have Go code, in display order.
func All() []Integration {
	return []Integration{
		alertmanager(), circleci(), forgejo(), gitea(), github(), gitlab(), grafana(), jenkins(), jira(), plainJSON(),
		pagerduty(), sentry(), slack(), stripe(), uptimeKuma(),
	}
}

// Load returns all integrations, including those of the service files, in display order.
func Load() ([]Integration, error) {
	all, err := loaded()
	return slices.Clone(all), err
}

// loaded holds the integrations, since compiling their templates takes longer than creating the other modules.
var loaded = sync.OnceValues(func() ([]Integration, error) {
	services, err := loadServices(serviceFiles)
	all := append(All(), services...)
	for i := range all {
		all[i].Setup = cmp.Or(all[i].Setup, setupOf(all[i].Name))
	}
	slices.SortStableFunc(all, func(a, b Integration) int {
		return strings.Compare(strings.ToLower(a.Display), strings.ToLower(b.Display))
	})
	return all, errors.Join(err, addSamples(all))
})

// Headers lists the request headers that integrations use.
var Headers = []string{
	"X-GitHub-Event", "X-Hub-Signature-256", "X-Hub-Signature", "X-Gitlab-Event", "X-Gitlab-Token", "X-Gitea-Event",
	"X-Gitea-Signature", "X-Forgejo-Event", "X-Forgejo-Signature", "Sentry-Hook-Resource", "Sentry-Hook-Signature",
	"X-PagerDuty-Signature", "Circleci-Signature", "Stripe-Signature", "X-Grafana-Alerting-Signature",
}

// ErrSkip is returned for requests that are meant to produce no message: an option of the URL excludes them, or another
// request reports the same. A message without content counts as lost, and the bot's owner is notified.
var ErrSkip = errors.New("nothing to post")

// skip returns the result for an event that is meant to produce no message.
func skip(event string) (Message, error) { return Message{Event: event}, ErrSkip }

// UnsupportedError reports an event that the integration does not support.
type UnsupportedError struct{ Event string }

func (e UnsupportedError) Error() string { return "unsupported event " + e.Event }

// AnomalousError reports a payload that the service cannot have sent.
type AnomalousError struct{ Why string }

func (e AnomalousError) Error() string { return "anomalous payload: " + e.Why }

// JSONError reports a body that is not JSON.
type JSONError struct{ Err error }

func (e JSONError) Error() string { return "malformed JSON: " + e.Err.Error() }

// HeaderError reports a missing event header.
type HeaderError struct{ Header string }

func (e HeaderError) Error() string { return "missing header " + e.Header }

// header returns the value of any header.
func (r Request) header(name string) string {
	if r.Header == nil {
		return ""
	}
	return r.Header(name)
}

// event returns the first of the given headers that is present.
func (r Request) event(headers ...string) (string, error) {
	for _, h := range headers {
		if v := r.Headers[h]; v != "" {
			return v, nil
		}
	}
	return "", HeaderError{headers[0]}
}

// anomalous returns the error for a missing mandatory field.
func anomalous(missing string) error { return AnomalousError{missing + " is missing"} }

func hmacHex(secret, text string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

// verifyHMAC returns a signature check for services that send a prefix and the HMAC-SHA256 of the body in hexadecimal
// in one of the headers. A header may contain several signatures, separated by commas.
func verifyHMAC(prefix string, headers ...string) func(Request, string) bool {
	return func(r Request, secret string) bool {
		want := prefix + hmacHex(secret, string(r.Body))
		for _, h := range headers {
			for _, got := range strings.Split(r.Headers[h], ",") {
				if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(got)), []byte(want)) == 1 {
					return true
				}
			}
		}
		return false
	}
}
