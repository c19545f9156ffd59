// Package flags stores users' flags for messages: flags that users set, such as starred, and flags that follow from a
// message's content, such as mentioned. Read state is not stored as a flag; see package readstate.
package flags

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// Service sets and removes flags when messages change.
type Service struct {
	*Store
	inbox *inbox.Store
}

// New returns a Service.
func New(rows *Store, in *inbox.Store) *Service { return &Service{rows, in} }

// Parts returns the package's contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Register: []kit.Section{kit.Register("starred_messages", s.starred)},
		Events:   []kit.AnyEvent{added.Any(), removed.Any()},
	}
}

type starredSection struct {
	Starred []message.ID `json:"starred_messages"` // ascending
}

// maxStarred is the maximum number of starred messages in /register.
const maxStarred = 50_000

// starred returns the newest starred messages.
func (s *Service) starred(ctx context.Context, a kit.Actor, _ event.Client) (starredSection, error) {
	ids, err := s.Flagged(ctx, a.User, message.Starred, 0, message.MaxID, maxStarred, true)
	slices.Reverse(ids)
	return starredSection{ids}, err
}

// Assignment is a new or edited message and the users whose flags it determines.
type Assignment struct {
	Message       message.Message
	Mentioned     []user.ID // by name or through a group
	Personally    []user.ID // users in Mentioned who are mentioned by name
	TopicWildcard []user.ID
	Alerted       []user.ID
	Unread        []user.ID // users for whom it is unread, contrary to the general rules
	ByMention     []user.ID // bots that receive it without being subscribed, because it mentions them by name
}

// HasFlags reports whether the message determines any flags.
func (m *Assignment) HasFlags() bool {
	return len(m.Mentioned)+len(m.TopicWildcard)+len(m.Alerted)+len(m.Unread)+len(m.ByMention) > 0
}

// byUser returns the flags that the message determines, by user.
func (m *Assignment) byUser() map[user.ID]message.Flag {
	flags := map[user.ID]message.Flag{}
	for _, of := range []struct {
		users []user.ID
		bit   message.Flag
	}{
		{m.Mentioned, message.Mentioned}, {m.Personally, message.Mentioned | message.Personally},
		{m.TopicWildcard, message.TopicWildcard}, {m.Alerted, message.AlertWord}, {m.Unread, message.OldUnread},
		{m.ByMention, message.Mentioned | message.Personally | message.Touched | message.ByMention | message.OldUnread},
	} {
		for _, u := range of.users {
			flags[u] |= of.bit
		}
	}
	return flags
}

// SetNew stores the flags of new messages. The realm must be locked.
func (s *Service) SetNew(ctx context.Context, sent []Assignment) error {
	all := map[Key]message.Flag{}
	for i := range sent {
		for u, f := range sent[i].byUser() {
			all[Key{u, sent[i].Message.ID}] = f
		}
	}
	return s.Insert(ctx, all)
}

// derived contains the flags that follow from a message's content.
const derived = message.Mentioned | message.Personally | message.TopicWildcard | message.AlertWord

// SetEdited replaces the flags that follow from a message's content and keeps all others. Users who have not received
// the message get no flags, since in protected history a flag would give them access. The realm must be locked.
func (s *Service) SetEdited(ctx context.Context, sent Assignment) error {
	all, err := s.ByMessage(ctx, []message.ID{sent.Message.ID})
	if err != nil {
		return err
	}
	current, want := all[sent.Message.ID], sent.byUser()
	set := map[Key]message.Flag{}
	for u, f := range current {
		if now := f&^derived | want[u]; now != f {
			set[Key{u, sent.Message.ID}] = now
		}
	}
	var others []inbox.Delivery
	for u := range want {
		if _, ok := current[u]; !ok {
			others = append(others, inbox.Delivery{User: u, Message: sent.Message})
		}
	}
	received, err := s.inbox.Received(ctx, others)
	if err != nil {
		return err
	}
	for i, d := range others {
		if received[i] {
			set[Key{d.User, sent.Message.ID}] = want[d.User]
		}
	}
	return s.Set(ctx, set)
}

// Touch gives users a flag row for messages that they have acted on without having received them. The realm must be
// locked.
func (s *Service) Touch(ctx context.Context, by map[message.ID]user.Set) error {
	set := map[Key]message.Flag{}
	for id, us := range by {
		for _, u := range us {
			set[Key{u, id}] = message.Touched
		}
	}
	return s.Add(ctx, set)
}
