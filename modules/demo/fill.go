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

// play fills a realm. A fixed seed makes the messages the same each time.
type play struct {
	*service
	realm realm.ID
	owner user.Actor
	ids   map[string]user.ID
	who   map[user.ID]*user.User
	dice  *rand.Rand
}

// Fill creates the demo organization; see ports.Demo.
func (s *service) Fill(ctx context.Context, r realm.ID) error {
	owner, err := s.loneOwner(ctx, r)
	if err != nil {
		return err
	}
	p := &play{
		service: s, realm: r, dice: rand.New(rand.NewPCG(16, 4)), // #nosec G404 -- not used for secrets
		owner: user.Actor{Realm: r, User: owner.ID, Role: user.Owner, Client: "stoa"},
		ids:   map[string]user.ID{ownerKey: owner.ID},
		who:   map[user.ID]*user.User{},
	}
	for _, act := range []func(context.Context) error{p.people, p.channels, p.talk, p.profiles, p.presence} {
		if err := act(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	return nil
}

// loneOwner returns the owner. Errors: BadRequest if there is none, or if there are other users.
func (s *service) loneOwner(ctx context.Context, r realm.ID) (*user.User, error) {
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
			return nil, errs.Bad("The realm must contain only its owner")
		}
	}
	if owner == nil {
		return nil, errs.Bad("The organization has no owner")
	}
	return owner, nil
}

// people creates the cast as the server itself, so that no email is sent to addresses that are not ours.
func (p *play) people(ctx context.Context) error {
	server := user.Actor{Realm: p.realm, System: true, Client: "stoa"}
	for _, one := range cast {
		id, err := p.Accounts.Create(ctx, server, ports.NewUser{Email: one.email, FullName: one.name, Role: one.role})
		if err != nil {
			return fmt.Errorf("%s: %w", one.email, err)
		}
		p.ids[one.key] = id
	}
	v, err := p.Directory.View(ctx, p.realm)
	if err != nil {
		return err
	}
	for _, id := range p.ids {
		p.who[id] = v.User(id)
	}
	return nil
}

func (p *play) channels(ctx context.Context) error {
	for _, one := range rooms {
		members := p.all(append([]string{ownerKey}, one.members...))
		id, err := p.Channels.Create(ctx, p.owner, one.NewChannel, members)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		if one.moderation {
			if err := p.Settings.Set(ctx, p.realm, "moderation_request_channel_id", int64(id)); err != nil {
				return fmt.Errorf("%s: %w", one.Name, err)
			}
		}
		for _, topic := range one.topics {
			if err := p.converse(ctx, members, perTopic, message.Outgoing{Channel: id, Topic: topic}); err != nil {
				return fmt.Errorf("%s, %s: %w", one.Name, topic, err)
			}
		}
	}
	return nil
}

func (p *play) talk(ctx context.Context) error {
	for _, c := range conversations {
		members := p.all(c)
		if err := p.converse(ctx, members, perConversation, message.Outgoing{To: members}); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c, ", "), err)
		}
	}
	return nil
}

// profiles adds profile fields, if a module stores them.
func (p *play) profiles(ctx context.Context) error {
	return p.Hooks.Run(ctx, &profilefield.Adding{By: p.owner, Fields: fields()})
}

// presence reports some users as active and some as idle, if a module stores presence.
func (p *play) presence(ctx context.Context) error {
	m := &presence.Noting{By: p.owner, Reports: map[user.ID]presence.Status{}}
	for _, id := range p.all(present) {
		m.Reports[id] = presence.Active
	}
	for _, id := range p.all(idle) {
		m.Reports[id] = presence.Idle
	}
	return p.Hooks.Run(ctx, m)
}

// converse sends n messages from randomly chosen members.
func (p *play) converse(ctx context.Context, members []user.ID, n int, m message.Outgoing) error {
	for range n {
		from := p.who[members[p.dice.IntN(len(members))]]
		about := p.who[members[p.dice.IntN(len(members))]]
		m.Content = lines[p.dice.IntN(len(lines))]
		if strings.Contains(m.Content, "%s") {
			m.Content = fmt.Sprintf(m.Content, about.FullName)
		}
		as := user.Actor{Realm: p.realm, User: from.ID, Role: from.Role, Client: "website"}
		if _, err := p.Sender.Send(ctx, as, m); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) all(keys []string) []user.ID {
	ids := make([]user.ID, len(keys))
	for i, k := range keys {
		ids[i] = p.ids[k]
	}
	return ids
}
