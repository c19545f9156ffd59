package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// botChange is the log entry of realm_bot events: about one bot, or about all bots that the receiver does not own.
type botChange struct {
	Bot      user.ID `json:"bot,omitempty"`
	AllTo    user.ID `json:"all_to,omitempty"`   // the only receiver, who became or ceased to be an administrator
	Property string  `json:"property,omitempty"` // the changed property of Bot
	services map[user.ID]*bot.Service
}

// These are the values of botChange.Property.
const (
	propSends    = "default_sending_stream"
	propListens  = "default_events_register_stream"
	propPublic   = "default_all_public_streams"
	propServices = "services"
)

type botEvent[T any] struct {
	Bot T `json:"bot"`
}

// changedBot describes what updateFor returns: the changed property.
type changedBot struct {
	UserID    user.ID     `json:"user_id"`
	Sends     **string    `json:"default_sending_stream,omitempty"`
	Listens   **string    `json:"default_events_register_stream,omitempty"`
	AllPublic *bool       `json:"default_all_public_streams,omitempty"`
	Services  *[]outgoing `json:"services,omitempty"`
}

type deletedBot struct {
	UserID user.ID `json:"user_id"`
}

// defaultsChanged logs a change of a bot's defaults. follow derives the events for clients from it.
var defaultsChanged = kit.Event[kit.None]("realm_bot", "uses").Internal()

// events holds the event types. Only owners of bots and administrators receive these events.
type events struct {
	added, updated, deleted kit.EventType[botChange]
}

func newEvents(load func(ctx context.Context, r realm.ID, ids []user.ID) (map[user.ID]*bot.Service, error)) events {
	late := func(ctx context.Context, v *directory.View, all []*botChange) error {
		ids := []user.ID{}
		for _, p := range all {
			switch {
			case p.AllTo != 0:
				ids = nil
			case ids != nil && (p.Property == "" || p.Property == propServices):
				ids = append(ids, p.Bot)
			}
			if ids == nil {
				break
			}
		}
		found, err := load(ctx, v.Realm().ID, ids)
		for _, p := range all {
			p.services = found
		}
		return err
	}
	return events{
		added: kit.Event[botChange]("realm_bot", "add").Late(late).Forms(addForms).Personal(addFor).
			Sends(botEvent[record]{}),
		updated: kit.Event[botChange]("realm_bot", "update").Late(late).Shape(personal).Personal(updateFor).
			Sends(botEvent[changedBot]{}),
		deleted: kit.Event[botChange]("realm_bot", "delete").Forms(deleteForms).Sends(botEvent[deletedBot]{}),
	}
}

func personal(context.Context, *directory.View, event.Client, *botChange) (any, bool) {
	return kit.None{}, true
}

// botsOfOthers returns the bots that a user does not own, except system bots.
func botsOfOthers(v *directory.View, u user.ID) []user.ID {
	var all []user.ID
	for b := range v.Users() {
		if b.IsBot() && !b.System && b.BotOwner != u {
			all = append(all, b.ID)
		}
	}
	return all
}

func addForms(_ context.Context, v *directory.View, _ event.Client, p *botChange) []any {
	if p.AllTo == 0 {
		return []any{kit.None{}} // addFor returns the fields
	}
	var all []any
	for _, id := range botsOfOthers(v, p.AllTo) {
		all = append(all, botEvent[record]{record{id, defaultsOf(v, v.User(p.AllTo), id), services(p.services[id])}})
	}
	return all
}

// addFor excludes receivers who no longer manage the bot, because the event contains the bot's token.
func addFor(r event.Receiver, p *botChange) (any, bool) {
	me := r.Head.User(r.User.ID)
	if p.AllTo != 0 {
		return nil, me != nil && me.IsAdmin()
	}
	added := botEvent[record]{record{p.Bot, defaultsAt(r, p.Bot), services(p.services[p.Bot])}}
	return added, permission.ManagesBot(me, r.Head.User(p.Bot))
}

func updateFor(r event.Receiver, p *botChange) (any, bool) {
	m := map[string]any{"user_id": p.Bot}
	switch now := defaultsAt(r, p.Bot); p.Property {
	case propSends:
		m[propSends] = now.Sends
	case propListens:
		m[propListens] = now.Listens
	case propPublic:
		m[propPublic] = now.AllPublic
	case propServices:
		m[propServices] = services(p.services[p.Bot])
	}
	return botEvent[map[string]any]{m}, permission.ManagesBot(r.Head.User(r.User.ID), r.Head.User(p.Bot))
}

// defaultsAt returns a bot's defaults as of the event, without channels that the receiver can no longer see.
func defaultsAt(r event.Receiver, id user.ID) defaults {
	me, b := r.Head.User(r.User.ID), bot.In(r.View, id)
	u := defaultsOf(r.View, r.View.User(r.User.ID), id)
	if !permission.SeesChannel(r.Head, r.Head.Channel(b.Sends), me) {
		u.Sends = nil
	}
	if !permission.SeesChannel(r.Head, r.Head.Channel(b.Listens), me) {
		u.Listens = nil
	}
	return u
}

func deleteForms(_ context.Context, v *directory.View, _ event.Client, p *botChange) []any {
	ids := []user.ID{p.Bot}
	if p.AllTo != 0 {
		ids = botsOfOthers(v, p.AllTo)
	}
	all := make([]any, len(ids))
	for i, id := range ids {
		all[i] = botEvent[deletedBot]{deletedBot{id}}
	}
	return all
}
