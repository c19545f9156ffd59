package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sideshow/apns2"
	"github.com/sideshow/apns2/token"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// apns delivers through Apple's push service over HTTP/2.
type apns struct{ client *apns2.Client }

func newAPNs(c APNs, client *http.Client) (*apns, error) {
	key, err := token.AuthKeyFromFile(c.KeyFile)
	if err != nil {
		return nil, err
	}
	t := &token.Token{AuthKey: key, KeyID: c.KeyID, TeamID: c.TeamID}
	if ok, err := t.Generate(); !ok || err != nil {
		return nil, errors.Join(errors.New("the key cannot sign"), err)
	}
	return &apns{&apns2.Client{Host: c.URL, Token: t, HTTPClient: client}}, nil
}

// The payload. The relay determines the text shown when the app cannot decrypt the data, so servers cannot send
// plaintext.
type (
	apnsPayload struct {
		APS   aps    `json:"aps"`
		KeyID uint32 `json:"push_key_id"`
		Data  string `json:"encrypted_data"`
	}
	aps struct {
		Mutable   int        `json:"mutable-content,omitempty"`
		Available int        `json:"content-available,omitempty"`
		Alert     *apnsAlert `json:"alert,omitempty"`
	}
	apnsAlert struct {
		Title string `json:"title"`
	}
)

func (a *apns) send(ctx context.Context, d relay.Delivery, expires time.Time) result {
	n := &apns2.Notification{
		DeviceToken: d.Token, Topic: d.AppID, CollapseID: d.Collapse, Expiration: expires,
		PushType: apns2.PushTypeBackground, Priority: apns2.PriorityLow,
		Payload: apnsPayload{aps{Available: 1}, d.KeyID, d.Data},
	}
	if d.Urgent {
		n.PushType, n.Priority = apns2.PushTypeAlert, apns2.PriorityHigh
		n.Payload = apnsPayload{aps{Mutable: 1, Alert: &apnsAlert{"New notification"}}, d.KeyID, d.Data}
	}
	bearer := a.client.Token.GenerateIfExpired()
	res, err := a.client.PushWithContext(ctx, n)
	if err == nil && res.StatusCode == http.StatusForbidden && res.Reason == apns2.ReasonExpiredProviderToken {
		a.renew(bearer)
		res, err = a.client.PushWithContext(ctx, n)
	}
	if err != nil {
		return unreachable(err)
	}
	why := fmt.Sprintf("status %d, %.60q", res.StatusCode, res.Reason)
	switch {
	case res.Sent():
		return delivered
	case res.StatusCode == http.StatusGone, res.Reason == apns2.ReasonBadDeviceToken,
		res.Reason == apns2.ReasonDeviceTokenNotForTopic:
		return result{outcome: push.Dead}
	case res.Reason == apns2.ReasonBadTopic, res.Reason == apns2.ReasonTopicDisallowed,
		res.StatusCode == http.StatusForbidden:
		return result{reason: why, wait: repairDelay}
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		return result{reason: why}
	}
	return result{outcome: push.Refused, reason: why}
}

// renew replaces the authentication token unless another goroutine already has, since APNs limits how often tokens may
// change.
func (a *apns) renew(used string) {
	t := a.client.Token
	t.Lock()
	defer t.Unlock()
	if t.Bearer == used {
		_, _ = t.Generate() // New has generated one with the same key
	}
}
