package send

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Again renders stored messages again and gives them with what they look like now. It writes nothing. What can't be
// rendered any more stays as it is, with the new version. The moment message.Embeds runs at most once.
func (s *Service) Again(ctx context.Context, v *directory.View, ms []message.Message) ([]message.Message, error) {
	out := make([]message.Message, len(ms))
	pages := make([][]string, len(ms))
	had := map[string]bool{}
	asked := &message.Embeds{Realm: v.Realm().ID, Embeds: map[string]markdown.Embed{}}
	for i := range ms {
		got, err := s.again(ctx, v, &ms[i], nil)
		if err != nil {
			return nil, err
		}
		if out[i] = with(ms[i], got); !message.ShowsPages(v, ms[i].Sender) {
			continue
		}
		pages[i] = got.Pages
		for _, p := range got.Pages {
			if !had[p] {
				had[p] = true
				asked.Pages = append(asked.Pages, p)
			}
		}
	}
	if len(asked.Pages) == 0 {
		return out, nil
	}
	if err := s.Hooks.Run(ctx, asked); err != nil {
		return nil, err
	}
	for i := range ms {
		known := map[string]markdown.Embed{}
		for _, p := range pages[i] {
			if e := asked.Embeds[p]; !e.None() {
				known[p] = e
			}
		}
		if len(known) == 0 {
			continue
		}
		got, err := s.again(ctx, v, &ms[i], known)
		if err != nil {
			return nil, err
		}
		out[i] = with(ms[i], got)
	}
	return out, nil
}

// again renders one message. An Output without HTML is one that can't be rendered.
func (s *Service) again(
	ctx context.Context,
	v *directory.View,
	m *message.Message,
	known map[string]markdown.Embed,
) (markdown.Output, error) {
	as, err := s.viewer(ctx, v, m)
	if err != nil {
		return markdown.Output{}, err
	}
	src := s.source(v, as, m.ID, m.RealmURL, m.Content, m.SentAt)
	src.Embeds, src.Patient = known, true // it must not look worse because the server is busy
	out, err := s.Renderer.Render(ctx, v, src)
	if errs.Is(err, errs.BadRequest) {
		version, err := s.Version(ctx)
		return markdown.Output{Version: version}, err
	}
	return out, err
}

// viewer gives the user whose view decides what a message can link to. A notice in a channel is rendered for whoever
// caused it, and a direct message of a system bot for the person who got it: the bot itself may see everything.
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
	members, err := s.Store.Members(ctx, []message.Recipient{m.Recipient})
	if err != nil {
		return 0, err
	}
	if people := members[m.Recipient].Minus(user.Set{m.Sender}); len(people) == 1 {
		return people[0], nil
	}
	return m.Sender, nil
}

// Version gives that of the rendering rules.
func (s *Service) Version(ctx context.Context) (int, error) {
	out, err := s.Renderer.Render(ctx, nil, markdown.Source{})
	return out.Version, err
}

// with gives a message as it was rendered. Whom it mentions was decided when it was written.
func with(m message.Message, out markdown.Output) message.Message {
	m.RenderVersion = out.Version
	if out.HTML == "" {
		return m
	}
	const seen = message.HasLink | message.HasImage
	m.Rendered, m.Facts = out.HTML, m.Facts&^seen|facts(m.Content, out)&seen
	return m
}
