// Package react adds and removes emoji reactions. Reactions are written in batches by the realm's writer, which checks
// access again under the realm's lock.
package react

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Flags    *flags.Service
	Access   *access.Service
	Emoji    ports.Emoji
}

// Service adds and removes reactions.
type Service struct {
	Needs
	kind           *ports.IntentKind
	added, removed kit.EventType[reacted]
}

// New returns the service.
func New(n Needs) *Service {
	s := &Service{Needs: n}
	s.kind = &ports.IntentKind{Name: "reactions", Order: 20, Max: 64, Write: s.write}
	s.added, s.removed = s.eventType("add"), s.eventType("remove")
	return s
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST("/messages/:message_id/reactions", kit.Users, s.add, "Reacts to a message with an emoji.").
			Operation("addReaction"),
		kit.DELETE("/messages/:message_id/reactions", kit.Users, s.remove, "Removes a reaction.").
			Operation("removeReaction"),
	}
}

type request struct {
	ID   message.ID `json:"message_id"`
	Name string     `json:"emoji_name"`
	Code string     `json:"emoji_code" default:""`
	Type string     `json:"reaction_type" default:"" enum:",unicode_emoji,realm_emoji,service_extra_emoji"`
}

type removal struct {
	ID   message.ID `json:"message_id"`
	Name string     `json:"emoji_name" default:""`
	Code string     `json:"emoji_code" default:""`
	Type string     `json:"reaction_type" default:"" enum:",unicode_emoji,realm_emoji,service_extra_emoji"`
}

// add handles POST /messages/:message_id/reactions. Errors: BadRequest, ReactionExists.
func (s *Service) add(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	return kit.None{}, s.submit(ctx, a, in.ID, true, in.Name, in.Code, in.Type)
}

// remove handles DELETE /messages/:message_id/reactions. Errors: BadRequest, ReactionMissing.
func (s *Service) remove(ctx context.Context, a kit.Actor, in removal) (kit.None, error) {
	return kit.None{}, s.submit(ctx, a, in.ID, false, in.Name, in.Code, in.Type)
}

// React adds a user's reaction to a message, or removes it. emoji is a name. Inside Do, the reaction is part of the
// transaction. Errors: BadRequest, ReactionExists, ReactionMissing.
func (s *Service) React(ctx context.Context, as user.Actor, id message.ID, add bool, emoji string) error {
	return s.submit(ctx, as, id, add, emoji, "", "")
}

// change is a reaction to be added or removed.
type change struct {
	realm    realm.ID
	reaction message.Reaction
	add      bool
}

func (s *Service) submit(ctx context.Context, a kit.Actor, id message.ID, add bool, name, code, kind string) error {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return err
	}
	if _, err := s.Access.Changeable(ctx, v, u, id); err != nil { // checked first, so that other errors reveal nothing
		return err
	}
	r, err := message.ResolveReaction(message.EmojisIn(v, s.Emoji), name, code, kind)
	if err != nil {
		return err
	}
	r.Message, r.User = id, a.User
	return s.Writer.Submit(ctx, a.Realm, a.User, &ports.Intent{Kind: s.kind, Value: &change{a.Realm, r, add}, Size: 128})
}

// allowed reports whether a user may react to a message, given whether the user has it.
func allowed(v *directory.View, u user.ID, m *message.Message, holder audience.Holder) bool {
	if c, isChannel := m.Recipient.Channel(); isChannel {
		if ch := v.Channel(c); ch == nil || ch.Archived {
			return false
		}
	}
	return access.Reads(v, v.User(u), m, holder)
}
