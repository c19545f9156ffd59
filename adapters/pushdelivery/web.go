package pushdelivery

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ergochat/webpush-go/v2"

	"github.com/stoachat/stoa/adapters/webguard"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
)

// web delivers to the addresses of subscriptions. Devices choose these addresses, so webguard decides where
// connections go.
type web struct {
	guard   webguard.Guard
	client  *http.Client
	keys    *webpush.VAPIDKeys
	contact string
}

func (c Web) validate() error {
	if slices.ContainsFunc(c.Ports, func(p int) bool { return p < 1 || p > 65535 }) {
		return errors.New("web.ports: want numbers from 1 to 65535")
	}
	if c.Proxy != "" && webguard.ProxyAddress(c.Proxy) == "" {
		return errors.New("web.proxy: want http://host:port")
	}
	if _, err := webguard.Networks(c.Networks); err != nil {
		return fmt.Errorf("web.%w", err)
	}
	if c.PrivateKey == "" {
		return nil
	}
	if u, err := url.Parse(c.Contact); err == nil && u.Scheme == "https" && u.Host != "" {
		return nil
	}
	if _, err := mail.ParseAddress(c.Contact); err != nil {
		return errors.New("web.contact: want an email address or an https address")
	}
	return nil
}

func newWeb(c Web, roots *x509.CertPool, timeout time.Duration) (*web, error) {
	networks, err := webguard.Networks(c.Networks)
	if err != nil {
		return nil, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(c.PrivateKey, "="))
	if err != nil {
		return nil, errors.New("private_key: is not base64")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errors.New("private_key: is not a key; stoa push keys vapid prints one")
	}
	w := &web{guard: webguard.Guard{Ports: c.Ports, High: c.HighPorts, Allowed: networks}, contact: c.Contact}
	if w.keys, err = webpush.ECDSAToVAPIDKeys(key); err != nil {
		return nil, fmt.Errorf("private_key: %w", err)
	}
	transport, err := w.guard.Transport(c.Proxy, timeout)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	w.client = &http.Client{Transport: transport, CheckRedirect: stay, Timeout: timeout}
	return w, nil
}

// admit refuses subscriptions whose address leads inside. What its name leads to is checked when a connection is
// made.
func (w *web) admit(t relay.Target) error {
	s, err := relay.ReadSubscription(t.Token)
	if err != nil {
		return err
	}
	if err := w.guard.Address(s.Endpoint); err != nil {
		return errs.Bad("This push service does not call the address of the subscription.").Because(err)
	}
	return nil
}

var notPublic = result{outcome: relay.Refused, why: "the address of a subscription is not public"}

func (w *web) send(ctx context.Context, d relay.Delivery, ttl time.Duration) result {
	s, err := relay.ReadSubscription(d.Token)
	if err != nil {
		return result{outcome: relay.Dead}
	}
	if err := w.guard.Address(s.Endpoint); err != nil {
		return notPublic
	}
	body, err := json.Marshal(map[string]string{
		"push_key_id": strconv.FormatUint(uint64(d.KeyID), 10), "encrypted_data": d.Data,
	})
	if err != nil {
		return result{outcome: relay.Refused, why: err.Error()}
	}
	urgency := webpush.UrgencyNormal
	if d.Urgent {
		urgency = webpush.UrgencyHigh
	}
	to := &webpush.Subscription{Endpoint: s.Endpoint.String(), Keys: webpush.Keys{Auth: s.Auth, P256dh: s.Key}}
	res, err := webpush.SendNotification(ctx, body, to, &webpush.Options{
		HTTPClient: w.client, Subscriber: w.contact, Topic: d.Collapse, TTL: int(ttl.Seconds()), Urgency: urgency,
		VAPIDKeys: w.keys,
	})
	if err != nil {
		if errors.As(err, new(webguard.RefusedError)) {
			return notPublic
		}
		return unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, maxFCMAnswer) // the status says all
	why := fmt.Sprintf("status %d", res.StatusCode)
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return delivered
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return result{outcome: relay.Dead}
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		return result{why: why, wait: retryAfter(res.Header)}
	}
	return result{outcome: relay.Refused, why: why}
}
