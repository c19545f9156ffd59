package delivery

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	webpushgo "github.com/ergochat/webpush-go/v2"

	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// web delivers to the endpoints of push subscriptions.
type web struct {
	sender *webpush.Sender
	keys   *webpushgo.VAPIDKeys
}

func (c Web) options() webpush.Options {
	return webpush.Options{
		Contact: c.Contact, Ports: c.Ports, HighPorts: c.HighPorts, Networks: c.Networks, Proxy: c.Proxy,
	}
}

func (c Web) validate() error {
	if err := c.options().Validate(); err != nil {
		return fmt.Errorf("web.%w", err)
	}
	if c.PrivateKey != "" && !webpush.ValidContact(c.Contact) {
		return errors.New("web.contact: want an email address or an https address")
	}
	return nil
}

func newWeb(c Web, roots *x509.CertPool, timeout time.Duration) (*web, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(string(c.PrivateKey), "="))
	if err != nil {
		return nil, errors.New("private_key: is not base64")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errors.New("private_key: is not a key; stoa push keys vapid prints one")
	}
	w := &web{}
	if w.keys, err = webpush.Keys(key); err != nil {
		return nil, fmt.Errorf("private_key: %w", err)
	}
	o := c.options()
	o.Roots, o.Timeout = roots, timeout
	w.sender, err = webpush.NewSender(o)
	return w, err
}

func (w *web) admit(t relay.Target) error {
	s, err := push.ReadSubscription(t.Token)
	if err != nil {
		return err
	}
	return w.sender.Admit(s)
}

func (w *web) send(ctx context.Context, d relay.Delivery, ttl time.Duration) result {
	s, err := push.ReadSubscription(d.Token)
	if err != nil {
		return result{outcome: push.Dead}
	}
	body, err := json.Marshal(map[string]string{
		"push_key_id": strconv.FormatUint(uint64(d.KeyID), 10), "encrypted_data": d.Data,
	})
	if err != nil {
		return result{outcome: push.Refused, reason: err.Error()}
	}
	r := w.sender.Send(ctx, w.keys, push.WebNotification{
		To: s, Payload: body, Topic: d.Collapse, TTL: ttl, Quiet: !d.Urgent,
	})
	return result{outcome: r.Outcome, wait: r.Wait, reason: r.Why}
}
