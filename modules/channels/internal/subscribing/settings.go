package subscribing

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/kit"
)

// setting is a property of a subscription and its new value as JSON. A color may be unquoted.
type setting struct {
	Channel  channel.ID      `json:"stream_id"`
	Property string          `json:"property"`
	Value    json.RawMessage `json:"value"`
}

type setManyReq struct {
	Settings []setting `json:"subscription_data"`
}

func (s *Service) setMany(ctx context.Context, a kit.Actor, in setManyReq) (kit.None, error) {
	return kit.None{}, s.set(ctx, a, in.Settings)
}

type setOneReq struct {
	Channel  channel.ID `json:"stream_id"`
	Property string     `json:"property"`
	Value    string     `json:"value"`
}

func (s *Service) setOne(ctx context.Context, a kit.Actor, in setOneReq) (kit.None, error) {
	return kit.None{}, s.set(ctx, a, []setting{{in.Channel, in.Property, json.RawMessage(in.Value)}})
}

// maxSettings is the maximum number of settings in one request. They are changed in one transaction.
const maxSettings = 1000

// set changes either all of the caller's settings in a request or none. Errors: BadRequest.
func (s *Service) set(ctx context.Context, a kit.Actor, all []setting) error {
	if len(all) == 0 {
		return nil
	}
	if len(all) > maxSettings {
		return errs.Bad("Too many settings in one request (limit: %d).", maxSettings)
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		ids := make([]channel.ID, 0, len(all))
		for _, in := range all {
			if err := settable(v, a, in.Channel); err != nil {
				return err
			}
			ids = append(ids, in.Channel)
		}
		settings, err := s.rows.Settings(ctx, a.User, idset.Of(ids...))
		if err != nil {
			return err
		}
		events, err := apply(a.Realm, a.User, settings, all)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := s.rows.Set(ctx, a.Realm, a.User, settings); err != nil {
			return err
		}
		return s.Log.Append(ctx, events...)
	})
}

func settable(v *directory.View, a kit.Actor, id channel.ID) error {
	switch {
	case v.Subscribed(a.User, id):
		return nil
	case access.Sees(v, v.Channel(id), a):
		return errs.Bad("Not subscribed to channel ID %d", id)
	}
	return channel.Invalid()
}

// apply changes the settings and returns the events for the user's clients. If a property is set repeatedly, only the
// last value counts. Unchanged values produce no event. Errors: BadRequest.
func apply(r realm.ID, u user.ID, settings map[channel.ID]channel.Personal, all []setting) ([]event.Event, error) {
	type property struct {
		of   channel.ID
		name string
	}
	names, last := make([]property, len(all)), map[property]int{}
	for i, in := range all {
		var p channel.Personal
		forms, err := p.Set(in.Property, in.Value)
		if err != nil {
			return nil, err
		}
		names[i] = property{in.Channel, forms[0].Property} // is_muted and in_home_view are the same property
		last[names[i]] = i
	}
	var events []event.Event
	for i, in := range all {
		if last[names[i]] != i {
			continue
		}
		old := settings[in.Channel].WithColor()
		p := old
		changes, err := p.Set(in.Property, in.Value)
		if err != nil {
			return nil, err
		}
		if reflect.DeepEqual(p, old) {
			continue
		}
		settings[in.Channel] = p
		for _, c := range changes {
			p := eventtype.SettingChanged{ID: in.Channel, Property: c.Property, Value: c.Value}
			events = append(events, eventtype.SubscriptionUpdate.To(r, event.To(u), p))
		}
	}
	return events, nil
}
