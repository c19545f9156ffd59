package markup

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Rerender returns stored messages as rendered by the current renderer. It stores nothing. A message that can no longer
// be rendered keeps its HTML and gets the new version. It runs the query message.PagePreviews at most once.
func (s *Service) Rerender(ctx context.Context, v *directory.View, ms []message.Message) ([]message.Message, error) {
	out := make([]message.Message, len(ms))
	pages := make([][]string, len(ms))
	requested := map[string]bool{}
	query := message.PagePreviews{Realm: v.Realm().ID}
	for i := range ms {
		got, err := s.rerender(ctx, v, &ms[i], nil)
		if err != nil {
			return nil, err
		}
		if out[i] = withRendering(ms[i], got); !message.ShowsPages(v, ms[i].Sender) {
			continue
		}
		pages[i] = got.Pages
		for _, p := range got.Pages {
			if !requested[p] {
				requested[p] = true
				query.Pages = append(query.Pages, p)
			}
		}
	}
	if len(query.Pages) == 0 {
		return out, nil
	}
	previews, _, err := s.Previews.Ask(ctx, query)
	if err != nil {
		return nil, err
	}
	for i := range ms {
		known := map[string]markdown.Embed{}
		for _, p := range pages[i] {
			if e := previews[p]; !e.Empty() {
				known[p] = e
			}
		}
		if len(known) == 0 {
			continue
		}
		got, err := s.rerender(ctx, v, &ms[i], known)
		if err != nil {
			return nil, err
		}
		out[i] = withRendering(ms[i], got)
	}
	return out, nil
}

// rerender renders one message. If the message can no longer be rendered, it returns an Output without HTML.
func (s *Service) rerender(
	ctx context.Context,
	v *directory.View,
	m *message.Message,
	known map[string]markdown.Embed,
) (markdown.Output, error) {
	as, err := s.viewer(ctx, v, m)
	if err != nil {
		return markdown.Output{}, err
	}
	src := s.source(v, TextOf(m, as))
	src.Embeds, src.Background = known, true // a busy server must not degrade the rendering
	out, err := s.Renderer.Render(ctx, v, src)
	if errs.Is(err, errs.BadRequest) {
		version, err := s.Version(ctx)
		return markdown.Output{Version: version}, err
	}
	return out, err
}

// References returns the path IDs of the files to which a stored message refers, and its links that could have
// previews.
func (s *Service) References(
	ctx context.Context, v *directory.View, m *message.Message,
) (files, pages []string, err error) {
	if !strings.Contains(m.Content, "/user_uploads/") && m.Facts&message.HasLink == 0 {
		return nil, nil, nil
	}
	out, err := s.rerender(ctx, v, m, nil)
	return out.Attachments, out.Pages, err
}

// viewer returns the user whose permissions limit what a message can link to. System bots can see everything, so a
// channel notice is rendered for the user who caused it, and a direct message for its recipient.
func (s *Service) viewer(ctx context.Context, v *directory.View, m *message.Message) (user.ID, error) {
	if u := v.User(m.Sender); u == nil || !u.System {
		return m.Sender, nil
	}
	if m.ReadFor != 0 {
		return m.ReadFor, nil
	}
	if _, isChannel := m.Recipient.Channel(); isChannel {
		return m.Sender, nil
	}
	members, err := s.Store.Conversations.Members(ctx, []message.Recipient{m.Recipient})
	if err != nil {
		return 0, err
	}
	if people := members[m.Recipient].Minus(user.Set{m.Sender}); len(people) == 1 {
		return people[0], nil
	}
	return m.Sender, nil
}

// Version returns the version of the renderer.
func (s *Service) Version(ctx context.Context) (int, error) {
	out, err := s.Renderer.Render(ctx, nil, markdown.Source{})
	return out.Version, err
}

// withRendering returns a message with a new rendering. It does not change mentions, which were determined when the
// message was written.
func withRendering(m message.Message, out markdown.Output) message.Message {
	m.RenderVersion = out.Version
	if out.HTML == "" {
		return m
	}
	const renderFacts = message.HasLink | message.HasImage
	facts := Facts(m.Content, out)
	m.Rendered, m.Facts = out.HTML, m.Facts&^renderFacts|facts&(renderFacts|message.HasAttachment)
	return m
}
