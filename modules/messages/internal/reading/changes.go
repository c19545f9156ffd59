package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// derived are the bits that follow from a message's text.
const derived = message.Mentioned | message.Personally | message.TopicWildcard | message.AlertWord

// Mention makes the flags that follow from the new text of one message what they are to be, for everybody who has it; all others
// stay (messages.md §10.9). Who has not received it gets none: in protected history these would open it. In the realm's lock only.
func (s *Service) Mention(ctx context.Context, sent Sent) error {
	all, err := s.store.FlagsOf(ctx, []message.ID{sent.Message.ID})
	if err != nil {
		return err
	}
	had, want := all[sent.Message.ID], sent.bits()
	set := map[mine]message.Flag{}
	for u, f := range had {
		if now := f&^derived | want[u]; now != f {
			set[mine{u, sent.Message.ID}] = now
		}
	}
	var by []By
	for u := range want {
		if _, ok := had[u]; !ok {
			by = append(by, By{u, sent.Message})
		}
	}
	has, err := s.Had(ctx, by)
	if err != nil {
		return err
	}
	for i, b := range by {
		if has[i].Received {
			set[mine{b.User, sent.Message.ID}] = want[b.User]
		}
	}
	return s.store.SetFlags(ctx, set)
}

// Lost forgets the flags of people who lose messages by a move between channels: who was ever subscribed to the one and is not
// to the other. In the realm's lock only.
func (s *Service) Lost(ctx context.Context, ids []message.ID, from, to message.Recipient) error {
	return s.store.DropLost(ctx, ids, from, to)
}

// Removed forgets everybody's flags of messages that are deleted. In the realm's lock only.
func (s *Service) Removed(ctx context.Context, ids []message.ID) error {
	return s.store.DropFlags(ctx, ids)
}

// Touch gives people who act upon messages that they have not received a row of their own. In the realm's lock only.
func (s *Service) Touch(ctx context.Context, by map[message.ID]user.Set) error {
	set := map[mine]message.Flag{}
	for id, us := range by {
		for _, u := range us {
			set[mine{u, id}] = message.Touched
		}
	}
	return s.store.AddFlags(ctx, set)
}
