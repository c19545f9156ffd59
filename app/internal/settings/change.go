package settings

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// name is the name of the section of /register and the type of the events.
const name = "stoa_settings"

// change is the payload of the event: the new value of one setting.
type change struct {
	Scope   declared.Scope  `json:"scope"`
	User    user.ID         `json:"user_id,omitempty"`
	Channel channel.ID      `json:"channel_id,omitempty"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
}

var updated = kit.Event[change](name, "update").Personal(func(r event.Receiver, _ *change) (any, bool) {
	return nil, r.Queue.Client.ModuleSettings || slices.Contains(r.Queue.Types, name)
})

// request is the body of the routes: new values by key. That of a permission is {new, old}, as in PATCH /realm.
type request struct {
	Settings map[string]json.RawMessage `json:"settings"`
}

// place is what the settings in a request belong to, and who learns of a change.
type place struct {
	of declared.Scope
	id int64
	to event.Audience
}

// changeRealm handles PATCH /stoa/settings/realm. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) changeRealm(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		for key := range in.Settings {
			if one := declared.In(v).Setting(declared.OfRealm, key); one != nil {
				if err := permission.CheckRole(v, a, one.By); err != nil {
					return err
				}
			}
		}
		return s.change(ctx, v, a, place{declared.OfRealm, 0, event.Everyone()}, in)
	})
}

// changeUser handles PATCH /stoa/settings/user. Errors: BadRequest.
func (s *service) changeUser(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, _, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		return s.change(ctx, v, a, ofUser(a.User), in)
	})
}

type channelRequest struct {
	Channel channel.ID `json:"stream_id"`
	request
}

// changeChannel handles PATCH /stoa/settings/channels/{stream_id}. Errors: BadRequest, CannotAdminister.
func (s *service) changeChannel(ctx context.Context, a kit.Actor, in channelRequest) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, u, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		c := v.Channel(in.Channel)
		switch {
		case permission.Administers(v, c, u):
		case permission.Reads(v, c, u):
			return errs.New(errs.CannotAdminister, "You do not have permission to administer this channel.")
		default:
			return channel.Invalid()
		}
		return s.change(ctx, v, a, ofChannel(c.ID), in.request)
	})
}

// ofUser is the place of a user's settings.
func ofUser(u user.ID) place { return place{declared.OfUser, int64(u), event.To(u)} }

// change applies all changes of a request or none.
func (s *service) change(ctx context.Context, v *directory.View, a kit.Actor, at place, in request) error {
	state := declared.In(v)
	var events []event.Event
	for _, key := range slices.Sorted(maps.Keys(in.Settings)) {
		one := state.Setting(at.of, key)
		if one == nil {
			return errs.Bad("Invalid setting: %s", key)
		}
		was := state.Value(one, at.id)
		now, err := read(v, one, was, in.Settings[key])
		if err != nil {
			return err
		}
		if reflect.DeepEqual(now, was) {
			continue
		}
		c := declared.Change{Key: key, ID: at.id}
		if set := state.Set(one, at.id); set != nil {
			if c.Old, err = json.Marshal(set); err != nil {
				return err
			}
		}
		if c.New, err = json.Marshal(now); err != nil {
			return err
		}
		if err := s.store.set(ctx, a.Realm, at.of, c); err != nil {
			return err
		}
		e, err := at.event(v, a.Realm, one, now)
		if err != nil {
			return err
		}
		events = append(events, e.Changing(declared.Shared.Change(c)))
	}
	return s.Log.Append(ctx, events...)
}

// read decodes and checks a new value. Errors: BadRequest; those of permission.CheckUpdate.
func read(v *directory.View, one *declared.Setting, was any, raw json.RawMessage) (any, error) {
	if one.Rule == nil {
		return one.Read(raw)
	}
	var up group.Update
	if err := json.Unmarshal(raw, &up); err != nil {
		if errs.Is(err, errs.BadRequest) {
			return nil, err
		}
		return nil, errs.Bad("Invalid %s", one.Key).Because(err)
	}
	return up.New.Normal(), permission.CheckRuleUpdate(v, *one.Rule, was.(group.Setting), up)
}

// event returns the event of a value, as clients see it.
func (at place) event(v *directory.View, r realm.ID, one *declared.Setting, value any) (event.Event, error) {
	text, err := json.Marshal(shown(v, value))
	p := change{Scope: at.of, Key: one.Key, Value: text}
	to := at.to
	switch at.of {
	case declared.OfUser:
		p.User = user.ID(at.id)
		if one.Public && to.Kind == event.ToUser {
			to = event.Seeing(p.User)
		}
	case declared.OfChannel:
		p.Channel = channel.ID(at.id)
	}
	return updated.To(r, to, p), err
}

// shown returns a value as sent to clients: permissions without deactivated users.
func shown(v *directory.View, value any) any {
	if g, ok := value.(group.Setting); ok {
		return permission.Shown(v, g)
	}
	return value
}
