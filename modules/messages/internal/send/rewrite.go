package send

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
)

// Text is a message's new content and what follows from it.
type Text struct {
	Content, HTML string
	Version       int
	RealmURL      string   // see message.Message
	Pages         []string // targets of links, see message.Edited
	Attachments   []string // path IDs of files, see message.Edited
	Facts         message.Facts
	Flags         flags.Assignment // flags that the content determines
	Calls         user.Set         // see message.Edited
}

// Rewrite revises and renders a message's new content and checks its mentions as if the sender sent it. Errors:
// BadRequest, StreamWildcard, TopicWildcard.
func (s *Service) Rewrite(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	m *message.Message,
	content string,
) (*Text, error) {
	d := &draft{message: *m, url: by.URL}
	if id, isChannel := m.Recipient.Channel(); isChannel {
		d.channel = id
	} else {
		members, err := s.Store.Conversations.Members(ctx, []message.Recipient{m.Recipient})
		if err != nil {
			return nil, err
		}
		d.members = members[m.Recipient]
	}
	var err error
	if d.message.Content, err = s.Revising.Revise(ctx, v, message.Revising{
		By: by, Message: m.ID, Channel: d.channel, To: d.members, Topic: m.Topic, Content: content,
	}); err != nil {
		return nil, err
	}
	if err := s.render(ctx, v, d); err != nil {
		return nil, err
	}
	d.message.Facts |= m.Facts & message.MovedChannel // so that the fact is kept
	if err := d.checkMentions(v); err != nil {
		return nil, err
	}
	// Editing a message does not deliver it to anyone, but a bot that already has it is still mentioned.
	sent := d.sentFlags(v)
	reached := idset.Of(sent.ByMention...)
	sent.Mentioned, sent.Personally, sent.ByMention = reached.Union(sent.Mentioned), reached.Union(sent.Personally), nil
	calls, err := s.newCalls(ctx, v, d, m)
	if err != nil {
		return nil, err
	}
	return &Text{
		Content: d.message.Content, HTML: d.rendered.HTML, Version: d.rendered.Version, Facts: d.message.Facts,
		RealmURL: d.message.RealmURL, Pages: d.rendered.Pages, Attachments: d.rendered.Attachments, Flags: sent,
		Calls: calls,
	}, nil
}

// newCalls returns the service bots that a channel message's new content mentions by name and its old content did not.
// It renders the old content only if the new one mentions service bots.
func (s *Service) newCalls(ctx context.Context, v *directory.View, d *draft, old *message.Message) (user.Set, error) {
	calls := message.Calls(v, old, nil, idset.Of(d.rendered.Users...))
	if d.channel == 0 || len(calls) == 0 {
		return nil, nil
	}
	before, err := s.Markup.Render(ctx, v, markup.TextOf(old, old.Sender))
	if err != nil {
		return nil, err
	}
	return calls.Minus(idset.Of(before.Users...)), nil
}
