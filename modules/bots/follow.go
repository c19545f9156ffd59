package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// follow appends the events for a change of shared facts if it affects who manages which bots, or the bots' defaults:
// the channels in them, their names, and whether the bots' owners can see them.
func (s *service) follow(ctx context.Context, m *directory.Changed) error {
	var out []event.Event
	users, names := map[user.ID]bool{}, permission.AnnouncesFullMembers(m)
	for _, c := range m.Changes {
		_, uses := bot.Shared.Of(c)
		switch {
		case c.User != nil && c.User.New != nil:
			if id := c.User.New.ID; !users[id] {
				users[id] = true
				out = append(out, s.userEvents(m, m.Before.User(id), m.After.User(id))...)
			}
			names = true
		case uses, c.Channel != nil, c.Subs != nil, c.Group != nil, c.Members != nil:
			names = true
		}
	}
	if names {
		changed, err := s.defaultsEvents(ctx, m)
		if err != nil {
			return err
		}
		out = append(out, changed...)
	}
	if len(out) == 0 {
		return nil
	}
	return s.Log.Append(ctx, out...)
}

// erasing removes a bot's defaults from the shared facts before its row is deleted.
func (s *service) erasing(ctx context.Context, m *user.Erasing) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, m.Realm)
		if err != nil {
			return err
		}
		was := bot.In(v, m.User.ID)
		is := bot.Bot{ID: m.User.ID}
		if was == is {
			return nil
		}
		if err := s.store.Write(ctx, m.Realm, is, setup{config: map[string]string{}}); err != nil {
			return err
		}
		return s.Log.Append(ctx, defaultsChanged.To(m.Realm, event.None(), kit.None{}).Changing(changeOf(was, is)))
	})
}

// becameFullMembers notifies new full members of private channels in their bots' defaults that they can now see.
func (s *service) becameFullMembers(ctx context.Context, m *permission.BecameFullMember) error {
	v := m.After
	var out []event.Event
	for _, b := range bot.All(v) {
		u := v.User(b.ID)
		if u == nil || !m.Users.Has(u.BotOwner) {
			continue
		}
		for _, use := range []struct {
			property string
			channel  channel.ID
		}{{propSends, b.Sends}, {propListens, b.Listens}} {
			if c := v.Channel(use.channel); c != nil && c.Private && permission.SeesChannel(v, c, v.User(u.BotOwner)) {
				out = append(out, s.updated.To(m.Realm, event.To(u.BotOwner), botChange{Bot: b.ID, Property: use.property}))
			}
		}
	}
	return s.Log.Append(ctx, out...)
}

// userEvents returns the events for a new bot, a bot with a new owner, or a user who became an administrator or no
// longer is one.
func (s *service) userEvents(m *directory.Changed, was, is *user.User) []event.Event {
	var out []event.Event
	switch {
	case is == nil || is.System:
		return nil
	case is.IsBot() && was == nil:
		return []event.Event{s.added.To(m.Realm, managers(is), botChange{Bot: is.ID})}
	case was == nil:
		return nil
	case is.IsBot() && was.BotOwner != is.BotOwner:
		if u := m.After.User(was.BotOwner); u != nil && u.Active && !u.IsAdmin() {
			out = append(out, s.deleted.To(m.Realm, event.To(u.ID), botChange{Bot: is.ID}))
		}
		if u := m.After.User(is.BotOwner); u != nil && u.Active && !u.IsAdmin() {
			out = append(out, s.added.To(m.Realm, event.To(u.ID), botChange{Bot: is.ID}))
		}
	}
	if was.IsAdmin() == is.IsAdmin() || len(botsOfOthers(m.After, is.ID)) == 0 {
		return out
	}
	t := s.added
	if was.IsAdmin() {
		t = s.deleted
	}
	return append(out, t.To(m.Realm, event.To(is.ID), botChange{AllTo: is.ID}))
}

// managers addresses the users notified when a bot changes: its owner and the administrators.
func managers(b *user.User) event.Audience {
	if b.BotOwner == 0 {
		return event.Admins()
	}
	return event.Admins().And(b.BotOwner)
}

// defaultsEvents returns an event for each default of a bot that has changed as seen by its owner or by administrators.
// If an owner has become a full member by the passage of time, becameFullMembers may or may not have notified them, so
// changes relative to either state are sent.
func (s *service) defaultsEvents(ctx context.Context, m *directory.Changed) ([]event.Event, error) {
	last := m.Before
	if permission.AnnouncesFullMembers(m) {
		announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{Changed: m})
		if err != nil {
			return nil, err
		}
		last = announced.View(m.Before)
	}
	var out []event.Event
	for _, id := range idset.Of(append(botsWithDefaults(m.Before), botsWithDefaults(m.After)...)...) {
		was, is := m.Before.User(id), m.After.User(id)
		if was == nil || is == nil { // userEvents announces new bots
			continue
		}
		all := changedProperties(adminDefaultsOf(m.Before, id), adminDefaultsOf(m.After, id))
		before, after := m.Before.User(is.BotOwner), m.After.User(is.BotOwner)
		own := all
		if before != nil && after != nil && was.BotOwner == is.BotOwner {
			now := defaultsOf(m.After, after, id)
			own = changedProperties(defaultsOf(m.Before, before, id), now)
			for p, other := range changedProperties(defaultsOf(last, before, id), now) {
				own[p] = own[p] || other
			}
		}
		for _, p := range []string{propSends, propListens, propPublic} {
			to := event.Admins()
			switch {
			case all[p] && own[p]:
				to = managers(is)
			case own[p]:
				to = event.To(is.BotOwner)
			case !all[p]:
				continue
			}
			out = append(out, s.updated.To(m.Realm, to, botChange{Bot: id, Property: p}))
		}
	}
	return out, nil
}

func botsWithDefaults(v *directory.View) []user.ID {
	var ids []user.ID
	for _, b := range bot.All(v) {
		ids = append(ids, b.ID)
	}
	return ids
}

// adminDefaultsOf is like defaultsOf, for administrators, who can see every channel.
func adminDefaultsOf(v *directory.View, id user.ID) defaults {
	b := bot.In(v, id)
	u := defaults{AllPublic: b.AllPublic}
	if c := v.Channel(b.Sends); c != nil {
		u.Sends = &c.Name
	}
	if c := v.Channel(b.Listens); c != nil {
		u.Listens = &c.Name
	}
	return u
}

func changedProperties(a, b defaults) map[string]bool {
	same := func(x, y *string) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
	return map[string]bool{
		propSends:   !same(a.Sends, b.Sends),
		propListens: !same(a.Listens, b.Listens),
		propPublic:  a.AllPublic != b.AllPublic,
	}
}

// withoutHidden returns b without channels that the owner cannot see.
func withoutHidden(v *directory.View, owner *user.User, b bot.Bot) bot.Bot {
	if !permission.SeesChannel(v, v.Channel(b.Sends), owner) {
		b.Sends = 0
	}
	if !permission.SeesChannel(v, v.Channel(b.Listens), owner) {
		b.Listens = 0
	}
	return b
}
