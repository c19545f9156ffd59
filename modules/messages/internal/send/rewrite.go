package send

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/reading"
)

// Text is what the new content of a message comes to.
type Text struct {
	Content, HTML string
	Version       int
	RealmURL      string   // see message.Message
	Pages         []string // targets of links, see message.Edited
	Attachments   []string // path IDs of files, see message.Edited
	Facts         message.Facts
	Sent          reading.Sent // who is mentioned now
}

// Rewrite renders the new content of a message and checks what it mentions, as if its sender sent it (messages.md §10.2).
// Errors: BadRequest, StreamWildcard, TopicWildcard.
func (s *Service) Rewrite(ctx context.Context, v *directory.View, url string, m *message.Message, content string) (*Text, error) {
	d := &draft{message: *m, url: url}
	d.message.Content = content
	if id, isChannel := m.Recipient.Channel(); isChannel {
		d.channel = id
	} else {
		members, err := s.Store.Members(ctx, []message.Recipient{m.Recipient})
		if err != nil {
			return nil, err
		}
		d.members = members[m.Recipient]
	}
	if err := s.render(ctx, v, d); err != nil {
		return nil, err
	}
	d.message.Facts |= m.Facts & message.Crossed // who has it depends on that
	if err := d.checkMentions(v); err != nil {
		return nil, err
	}
	// An edit delivers the message to nobody, but a bot that has it already is still mentioned.
	sent := d.means(v)
	reached := idset.Of(sent.Reached...)
	sent.Mentioned, sent.Personally, sent.Reached = reached.Union(sent.Mentioned), reached.Union(sent.Personally), nil
	return &Text{
		Content: content, HTML: d.rendered.HTML, Version: d.rendered.Version, Facts: d.message.Facts,
		RealmURL: d.message.RealmURL, Pages: d.rendered.Pages, Attachments: d.rendered.Attachments, Sent: sent,
	}, nil
}
