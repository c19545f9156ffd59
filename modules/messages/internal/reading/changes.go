package reading

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// derived are the bits that follow from a message's text.
const derived = message.Mentioned | message.Personally | message.TopicWildcard | message.AlertWord

// Mention makes the flags that follow from the new text of one message what they are to be, for everybody who has it;
// all others stay. Who has not received it gets none: in protected history these would open it. In the realm's lock
// only.
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

// Lost forgets the flags of people who lose messages by a move between channels: who was ever subscribed to the one and
// is not to the other, and who is told that the messages are gone. It gives the events for those who are told of it by
// these alone. In the realm's lock only.
func (s *Service) Lost(
	ctx context.Context,
	v *directory.View,
	ids []message.ID,
	from, to message.Recipient,
	told []Share,
) ([]event.Event, error) {
	var others user.Set // from outside of the channel: few
	c, _ := from.Channel()
	for _, share := range told {
		others = others.Union(share.To.Members(v).Minus(v.Subscribers(c)))
	}
	l := lost{from, to, others}
	stars, err := s.store.Stars(ctx, ids, l.where)
	if err != nil {
		return nil, err
	}
	return unstarred(v, stars, told), s.store.DropFlags(ctx, ids, l.where)
}

// Removed forgets everybody's flags of messages that are deleted, and gives the events for those who are told of it by
// these alone. In the realm's lock only.
func (s *Service) Removed(
	ctx context.Context,
	v *directory.View,
	ids []message.ID,
	told []Share,
) ([]event.Event, error) {
	stars, err := s.store.Stars(ctx, ids, everybody)
	if err != nil {
		return nil, err
	}
	return unstarred(v, stars, told), s.store.DropFlags(ctx, ids, everybody)
}

// unstarred tells people who have starred messages that they have not any more, unless they are told that the messages
// are gone: /register gives starred messages whether or not they can be read now, so a client may have the ids of
// messages in a channel that its person has left. They learn no more than these ids.
func unstarred(v *directory.View, stars []mine, told []Share) []event.Event {
	hears := map[message.ID][]event.Audience{}
	for _, share := range told {
		for i := range share.Messages {
			hears[share.Messages[i].ID] = append(hears[share.Messages[i].ID], share.To)
		}
	}
	ids := map[user.ID][]message.ID{}
	for _, s := range stars {
		includes := func(a event.Audience) bool { return a.Includes(v, s.User) }
		if who := v.User(s.User); who != nil && who.Active && !slices.ContainsFunc(hears[s.Message], includes) {
			ids[s.User] = append(ids[s.User], s.Message)
		}
	}
	who := map[string][]user.ID{} // by the same ids: one event for all of them
	for u, list := range ids {
		key := fmt.Sprint(list)
		who[key] = append(who[key], u)
	}
	events := make([]event.Event, 0, len(who))
	for _, key := range slices.Sorted(maps.Keys(who)) {
		us := who[key]
		events = append(events, flagsRemoved.To(v.Realm().ID, event.Each(us...), flagChange{
			Operation: "remove", Flag: message.NameStarred, Messages: ids[us[0]],
		}))
	}
	return events
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
