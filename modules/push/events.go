package push

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
)

// deviceState is a device as sent to clients.
type deviceState struct {
	KeyID        *uint32 `json:"push_key_id"`
	TokenID      *string `json:"push_token_id"`
	PendingID    *string `json:"pending_push_token_id"`
	TokenUpdated *int64  `json:"push_token_last_updated_timestamp"`
	Error        *string `json:"push_registration_error_code"`
}

func stateOf(d *push.Device) deviceState {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	w := deviceState{TokenID: text(d.TokenID), PendingID: text(d.PendingID), Error: text(d.Error)}
	if d.Key != nil {
		w.KeyID = &d.Key.ID
	}
	if !d.TokenUpdated.IsZero() {
		t := d.TokenUpdated.Unix()
		w.TokenUpdated = &t
	}
	return w
}

type (
	deviceRef struct {
		ID push.DeviceID `json:"device_id"`
	}
	// account reports the outcome of a registration to older clients.
	account struct {
		ID     string `json:"push_account_id"`
		Status string `json:"status"`
		Error  string `json:"error_code,omitempty"`
	}
)

// fields holds the changed keys of a device/update event.
type fields map[string]any

// changedDevice describes fields.
type changedDevice struct {
	ID           push.DeviceID `json:"device_id"`
	KeyID        **uint32      `json:"push_key_id,omitempty"`
	TokenID      **string      `json:"push_token_id,omitempty"`
	PendingID    **string      `json:"pending_push_token_id,omitempty"`
	TokenUpdated **int64       `json:"push_token_last_updated_timestamp,omitempty"`
	Error        **string      `json:"push_registration_error_code,omitempty"`
}

func fieldsOf(d *push.Device, c push.Changed) fields {
	w, f := stateOf(d), fields{"device_id": d.ID}
	if c.Key {
		f["push_key_id"] = w.KeyID
	}
	if c.Token {
		f["push_token_id"] = w.TokenID
	}
	if c.Pending {
		f["pending_push_token_id"] = w.PendingID
	}
	if c.Pending && d.PendingID != "" {
		f["push_token_last_updated_timestamp"] = w.TokenUpdated
	}
	if c.Error {
		f["push_registration_error_code"] = w.Error
	}
	return f
}

var (
	deviceAdded   = kit.Event[deviceRef]("device", "add")
	deviceUpdated = kit.Event[fields]("device", "update").Sends(changedDevice{})
	deviceRemoved = kit.Event[deviceRef]("device", "remove")
	outcome       = kit.Event[account]("push_device", "")
)

// events declares the event types. Clients that fail on unknown types receive device only if they request it by name.
func (s *service) events() []kit.AnyEvent {
	return []kit.AnyEvent{
		onlyFor(deviceAdded, s.handlesDevices).Any(),
		onlyFor(deviceUpdated, s.handlesDevices).Any(),
		onlyFor(deviceRemoved, s.handlesDevices).Any(),
		outcome.Any(),
	}
}

// onlyFor restricts an event type to the queues that accepts returns true for.
func onlyFor[T any](t kit.EventType[T], accepts func(event.Queue) bool) kit.EventType[T] {
	return t.Personal(func(r event.Receiver, _ *T) (any, bool) { return nil, accepts(r.Queue) })
}

// handlesDevices reports whether the client of a queue can handle device events.
func (s *service) handlesDevices(q event.Queue) bool {
	if q.Types != nil {
		return true // the client receives only the types that it requested
	}
	return !s.cfg.strict(q.ClientName)
}

// strict reports whether a client is one of StrictClients.
func (c Config) strict(client string) bool {
	return slices.ContainsFunc(c.StrictClients, func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(client), strings.ToLower(prefix))
	})
}

// isStrict answers [event.Strict].
func (s *service) isStrict(_ context.Context, q event.Strict) (bool, error) {
	return s.cfg.strict(q.ClientName), nil
}

func accountID(d push.DeviceID) string { return strconv.FormatInt(int64(d), 10) }
