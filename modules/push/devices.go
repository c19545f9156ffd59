package push

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

var (
	errMaxDevices = errors.New("max_devices: want a whole number from 1 to 10000")
	errMaxWeb     = errors.New("max_web: want a whole number from 1 to 1000")
	errFirstTry   = errors.New("first_try: want a time from 10ms to 1m")
)

func errTooMany(limit int) error {
	return errs.Bad("Too many devices (limit: %d). Remove some first.", limit)
}

type added struct {
	ID push.DeviceID `json:"device_id"`
}

// addDevice handles POST /register_client_device. It creates a device, which register completes. Errors: BadRequest.
func (s *service) addDevice(ctx context.Context, a kit.Actor, _ kit.None) (added, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (added, error) {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return added{}, err
		}
		n, err := s.store.Count(ctx, a.User)
		if err != nil {
			return added{}, err
		}
		if n >= int64(s.cfg.MaxDevices) {
			return added{}, errTooMany(s.cfg.MaxDevices)
		}
		id, err := s.store.Add(ctx, a.Realm, a.User)
		if err != nil {
			return added{}, err
		}
		return added{id}, s.Log.Append(ctx, deviceAdded.To(a.Realm, event.To(a.User), deviceRef{id}))
	})
}

type removeRequest struct {
	ID push.DeviceID `json:"device_id"`
}

// removeDevice handles POST /remove_client_device. Errors: BadRequest.
func (s *service) removeDevice(ctx context.Context, a kit.Actor, in removeRequest) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		d, err := s.ownDevice(ctx, a, in.ID)
		if err != nil {
			return err
		}
		return s.deleteDevice(ctx, d)
	})
}

// ownDevice returns a device of the caller. Errors: BadRequest, with the same text for devices that do not exist and
// for those of other users.
func (s *service) ownDevice(ctx context.Context, a kit.Actor, id push.DeviceID) (*push.Device, error) {
	d, err := s.store.ByID(ctx, id)
	if err == nil && (d == nil || d.User != a.User) {
		return nil, errs.Bad("Invalid device_id")
	}
	return d, err
}

type section struct {
	Devices map[string]deviceState `json:"devices"`
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (section, error) {
	out := section{map[string]deviceState{}}
	all, err := s.store.Of(ctx, a.User)
	for _, d := range all {
		out.Devices[accountID(d.ID)] = stateOf(d)
	}
	return out, err
}

// keysRevoked deletes the devices of a user whose API keys are revoked, because the revocation logs them out.
func (s *service) keysRevoked(ctx context.Context, m *user.KeysRevoked) error {
	return s.deleteDevices(ctx, m.Realm, m.User)
}

func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	return s.deleteDevices(ctx, m.Realm, m.User)
}

// deleteDevices deletes all devices and tokens of a user.
func (s *service) deleteDevices(ctx context.Context, r ids.Realm, u user.ID) error {
	if err := s.store.ClearTokens(ctx, u); err != nil {
		return err
	}
	if err := s.store.ForgetNotices(ctx, u); err != nil {
		return err
	}
	all, err := s.store.Of(ctx, u)
	if err != nil || len(all) == 0 {
		return err
	}
	ids := make([]push.DeviceID, len(all))
	events := make([]event.Event, len(all))
	for i, d := range all {
		ids[i], events[i] = d.ID, deviceRemoved.To(r, event.To(u), deviceRef{d.ID})
	}
	if err := s.store.Remove(ctx, ids...); err != nil {
		return err
	}
	return s.Log.Append(ctx, events...)
}
