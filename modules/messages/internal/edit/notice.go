package edit

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/messages/internal/links"
	"github.com/stoachat/stoa/modules/messages/internal/send"
)

// undoPeriod is the period within which resolving and unresolving a topic cancel each other out: the second operation
// removes the notice of the first.
const undoPeriod = time.Minute

// notify posts the notices of a change and runs message.Edited. It returns the files that are no longer attached to any
// message.
func (s *Service) notify(ctx context.Context, c *change) ([]message.Attachment, error) {
	detached, err := s.detached(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.runHooks(ctx, c); err != nil || c.moved == nil {
		return detached, err
	}
	notices, err := s.resolved(ctx, c)
	if err != nil {
		return nil, err
	}
	return detached, s.Sender.Notify(ctx, c.by.Realm, append(notices, c.notices()...))
}

// resolved returns the notice that a topic was resolved or unresolved. If the topic's newest message is a recent notice
// of that kind, it deletes that message instead.
func (s *Service) resolved(ctx context.Context, c *change) ([]send.Notice, error) {
	if !c.Resolved || c.text != nil {
		return nil, nil
	}
	newest, err := s.Store.InTopic(ctx, c.after.Recipient, c.after.TopicKey, message.MaxID, 1)
	if err != nil {
		return nil, err
	}
	if len(newest) == 1 && newest[0].Notice == 1 && c.now.Sub(newest[0].SentAt) <= undoPeriod {
		ms, err := s.Store.Lock(ctx, c.by.Realm, []message.ID{newest[0].ID})
		if err != nil || len(ms) == 0 {
			return nil, err
		}
		return nil, s.Remover.Remove(ctx, c.v, c.by, ms)
	}
	how := "unresolved"
	if topic.Resolved(c.after.Topic) {
		how = "resolved"
	}
	text := fmt.Sprintf("%s has marked this topic as %s.", links.User(c.v, c.by.User), how)
	return []send.Notice{c.notice(c.Channel, c.after.Topic, text, true)}, nil
}

// notice returns a notice about the change, already read for the user who made it.
func (c *change) notice(in *channel.Channel, topic, text string, resolve bool) send.Notice {
	return send.Notice{ToChannel: in, Topic: topic, Text: text, ReadFor: c.by.User, Resolve: resolve}
}

// notices returns the requested notices about a move, for the old and the new topic.
func (c *change) notices() []send.Notice {
	actor := links.User(c.v, c.by.User)
	target, source := links.Topic(c.Into(), c.topic()), links.Topic(c.Channel, c.before.Topic)
	n := len(c.moved)
	var all []send.Notice
	if c.in.NotifyOld {
		text := fmt.Sprintf("%d messages were moved from this topic to %s by %s.", n, target, actor)
		switch {
		case c.wholeTopic:
			text = fmt.Sprintf("This topic was moved to %s by %s.", target, actor)
		case n == 1:
			text = fmt.Sprintf("A message was moved from this topic to %s by %s.", target, actor)
		}
		all = append(all, c.notice(c.Channel, c.before.Topic, text, false))
	}
	if c.in.NotifyNew && !c.Resolved {
		text := fmt.Sprintf("%d messages were moved here from %s by %s.", n, source, actor)
		switch {
		case c.wholeTopic && c.targetLooksEmpty:
			text = fmt.Sprintf("This topic was moved here from %s by %s.", source, actor)
		case n == 1:
			text = fmt.Sprintf("%s was moved here from %s by %s.",
				links.Message(c.Into(), c.topic(), c.moved[0].ID, "A message"), source, actor)
		}
		all = append(all, c.notice(c.Into(), c.topic(), text, false))
	}
	return all
}
