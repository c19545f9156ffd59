package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Number of messages per topic and per direct conversation.
const (
	perTopic        = 9
	perConversation = 8
)

// filler fills a realm. A fixed seed makes the messages reproducible.
type filler struct {
	*service
	realm realm.ID
	owner user.Actor
	ids   map[string]user.ID
	who   map[user.ID]*user.User
	rng   *rand.Rand
}

// Fill creates the demo organization; see ports.Demo.
func (s *service) Fill(ctx context.Context, r realm.ID) error {
	owner, err := s.soleOwner(ctx, r)
	if err != nil {
		return err
	}
	f := &filler{
		service: s, realm: r, rng: rand.New(rand.NewPCG(16, 4)), // #nosec G404 -- not used for secrets
		owner: user.Actor{Realm: r, User: owner.ID, Role: user.Owner, Client: "stoa"},
		ids:   map[string]user.ID{ownerKey: owner.ID},
		who:   map[user.ID]*user.User{},
	}
	for _, step := range []func(context.Context) error{
		f.createUsers, f.createChannels, f.sendDirectMessages, f.addProfiles, f.reportPresence,
	} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	return nil
}

// soleOwner returns the owner. Errors: BadRequest if there is none, or if there are other users.
func (s *service) soleOwner(ctx context.Context, r realm.ID) (*user.User, error) {
	v, err := s.Directory.Verified(ctx, r)
	if err != nil {
		return nil, err
	}
	var owner *user.User
	for u := range v.Users() {
		switch {
		case u.System || u.IsBot():
		case owner == nil && u.Role == user.Owner:
			owner = u
		default:
			return nil, errs.Bad("The organization must contain only its owner")
		}
	}
	if owner == nil {
		return nil, errs.Bad("The organization has no owner")
	}
	return owner, nil
}

// createUsers creates demoUsers as the server itself, so that no email is sent to their addresses, which may exist.
func (f *filler) createUsers(ctx context.Context) error {
	server := user.Actor{Realm: f.realm, System: true, Client: "stoa"}
	for _, one := range demoUsers {
		id, err := f.Accounts.Create(ctx, server, ports.NewUser{Email: one.email, FullName: one.name, Role: one.role})
		if err != nil {
			return fmt.Errorf("%s: %w", one.email, err)
		}
		f.ids[one.key] = id
	}
	v, err := f.Directory.View(ctx, f.realm)
	if err != nil {
		return err
	}
	for _, id := range f.ids {
		f.who[id] = v.User(id)
	}
	return nil
}

func (f *filler) createChannels(ctx context.Context) error {
	for _, one := range demoChannels {
		members := f.all(append([]string{ownerKey}, one.members...))
		id, err := f.Channels.Create(ctx, f.owner, one.NewChannel, members)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		if one.moderation {
			if err := f.Settings.Set(ctx, f.realm, "moderation_request_channel_id", int64(id)); err != nil {
				return fmt.Errorf("%s: %w", one.Name, err)
			}
		}
		for _, topic := range one.topics {
			if err := f.sendMessages(ctx, members, perTopic, message.Outgoing{Channel: id, Topic: topic}); err != nil {
				return fmt.Errorf("%s, %s: %w", one.Name, topic, err)
			}
		}
	}
	return nil
}

func (f *filler) sendDirectMessages(ctx context.Context) error {
	for _, c := range conversations {
		members := f.all(c)
		if err := f.sendMessages(ctx, members, perConversation, message.Outgoing{To: members}); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c, ", "), err)
		}
	}
	return nil
}

// addProfiles adds profile fields if a module stores them.
func (f *filler) addProfiles(ctx context.Context) error {
	return f.Hooks.Run(ctx, &profilefield.AddingFields{By: f.owner, Fields: fields()})
}

// reportPresence reports some users as active and some as idle if a module stores presence.
func (f *filler) reportPresence(ctx context.Context) error {
	m := &presence.Recording{By: f.owner, Reports: map[user.ID]presence.Status{}}
	for _, id := range f.all(present) {
		m.Reports[id] = presence.Active
	}
	for _, id := range f.all(idle) {
		m.Reports[id] = presence.Idle
	}
	return f.Hooks.Run(ctx, m)
}

// sendMessages sends n messages from randomly chosen members.
func (f *filler) sendMessages(ctx context.Context, members []user.ID, n int, m message.Outgoing) error {
	for range n {
		from := f.who[members[f.rng.IntN(len(members))]]
		about := f.who[members[f.rng.IntN(len(members))]]
		m.Content = messageTexts[f.rng.IntN(len(messageTexts))]
		if strings.Contains(m.Content, "%s") {
			m.Content = fmt.Sprintf(m.Content, about.FullName)
		}
		as := user.Actor{Realm: f.realm, User: from.ID, Role: from.Role, Client: "website"}
		if _, err := f.Sender.Send(ctx, as, m); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) all(keys []string) []user.ID {
	ids := make([]user.ID, len(keys))
	for i, k := range keys {
		ids[i] = f.ids[k]
	}
	return ids
}
