// Package flags keeps the flags that users have of messages: those that they set, such as starred, and those that
// follow from a message's text, such as mentioned. Whether a message is read is not a flag row; see package readstate.
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

// Service sets and drops flags along with messages.
type Service struct {
	*Store
	inbox *inbox.Store
}

// New returns a Service.
func New(rows *Store, in *inbox.Store) *Service { return &Service{rows, in} }

// Parts returns the module's parts for flags.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Register: []kit.Section{kit.Register("starred_messages", s.starred)},
		Events:   []kit.AnyEvent{added.Any(), removed.Any()},
	}
}

type starredSection struct {
	Starred []message.ID `json:"starred_messages"` // ascending
}

// maxStarred is the number of starred messages in /register.
const maxStarred = 50_000

// starred returns the newest starred messages.
func (s *Service) starred(ctx context.Context, a kit.Actor, _ event.Client) (starredSection, error) {
	ids, err := s.Flagged(ctx, a.User, message.Starred, 0, 1<<62, maxStarred, true)
	slices.Reverse(ids)
	return starredSection{ids}, err
}

// Sent is a new or edited message with the users whose flags its text determines.
type Sent struct {
	Message       message.Message
	Mentioned     []user.ID // by name or through a group
	Personally    []user.ID // of Mentioned, those mentioned by name
	TopicWildcard []user.ID
	Alerted       []user.ID
	Unread        []user.ID // have it unread although the rules make it read
	Reached       []user.ID // bots mentioned by name, which receive it without being subscribed
}

// Flagged reports whether the message sets any flags.
func (m *Sent) Flagged() bool {
	return len(m.Mentioned)+len(m.TopicWildcard)+len(m.Alerted)+len(m.Unread)+len(m.Reached) > 0
}

// bits returns the flags of every user whose flags the message sets.
func (m *Sent) bits() map[user.ID]message.Flag {
	flags := map[user.ID]message.Flag{}
	for _, of := range []struct {
		who []user.ID
		bit message.Flag
	}{
		{m.Mentioned, message.Mentioned}, {m.Personally, message.Mentioned | message.Personally},
		{m.TopicWildcard, message.TopicWildcard}, {m.Alerted, message.AlertWord}, {m.Unread, message.OldUnread},
		{m.Reached, message.Mentioned | message.Personally | message.Touched | message.Reached | message.OldUnread},
	} {
		for _, u := range of.who {
			flags[u] |= of.bit
		}
	}
	return flags
}

// SetSent stores the flags of new messages in one statement. It requires the realm's lock.
func (s *Service) SetSent(ctx context.Context, sent []Sent) error {
	all := map[Key]message.Flag{}
	for i := range sent {
		for u, f := range sent[i].bits() {
			all[Key{u, sent[i].Message.ID}] = f
		}
	}
	return s.Insert(ctx, all)
}

// derived are the bits that follow from a message's text.
const derived = message.Mentioned | message.Personally | message.TopicWildcard | message.AlertWord

// SetEdited replaces the flags that follow from a message's text; other flags stay. Users who have not received the
// message get no flags: in protected history a flag would give them access. It requires the realm's lock.
func (s *Service) SetEdited(ctx context.Context, sent Sent) error {
	all, err := s.ByMessage(ctx, []message.ID{sent.Message.ID})
	if err != nil {
		return err
	}
	had, want := all[sent.Message.ID], sent.bits()
	set := map[Key]message.Flag{}
	for u, f := range had {
		if now := f&^derived | want[u]; now != f {
			set[Key{u, sent.Message.ID}] = now
		}
	}
	var others []inbox.Delivery
	for u := range want {
		if _, ok := had[u]; !ok {
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

// Touch gives users a flag row for messages that they act upon without having received them. It requires the realm's
// lock.
func (s *Service) Touch(ctx context.Context, by map[message.ID]user.Set) error {
	set := map[Key]message.Flag{}
	for id, us := range by {
		for _, u := range us {
			set[Key{u, id}] = message.Touched
		}
	}
	return s.Add(ctx, set)
}
