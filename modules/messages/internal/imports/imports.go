// Package imports writes messages of the past: with their own times, without notifications, and without the limits that
// apply to senders.
package imports

import (
	"context"
	"errors"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/revise"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// imported logs that messages were imported. Nobody receives it: the log's readers begin anew after an import.
var imported = kit.Event[kit.None]("message", "imported")

// Service implements ports.MessageImport.
type Service struct {
	kernel.Ports
	Store  *store.Store
	Flags  *flags.Service
	Markup *markup.Service
	States *readstate.Service
	Inbox  *inbox.Store

	Revising *revise.Service
}

// prepared is a message with its rendering.
type prepared struct {
	*importing.Written
	message  message.Message
	rendered markdown.Output
}

// Begin implements ports.MessageImport. Floors that are raised message by message leave what is unread unread, unlike
// those that an import raises.
func (s *Service) Begin(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.Verified(ctx, r)
	if err != nil {
		return err
	}
	for u := range v.Users() {
		for done := u.IsBot(); !done; {
			if err := s.Work.Do(ctx, func(ctx context.Context) error {
				if _, err := s.Log.Lock(ctx, r); err != nil {
					return err
				}
				var err error
				done, err = s.States.BeforeUnmute(ctx, v, user.Actor{Realm: r, User: u.ID})
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write implements ports.MessageImport.
func (s *Service) Write(
	ctx context.Context, r realm.ID, all []*importing.Written, then func(context.Context) error,
) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	modules := revision{Service: s.Revising, view: v}
	ready := make([]prepared, len(all))
	if err := errors.Join(kit.Each(len(all), func(i int) error {
		ready[i].Written = all[i]
		if err := modules.revise(ctx, all[i]); err != nil || all[i].Refused != nil {
			return err
		}
		return s.render(ctx, v, &ready[i])
	})...); err != nil {
		return err
	}
	ready = slices.DeleteFunc(ready, func(p prepared) bool { return p.Refused != nil })
	if len(ready) == 0 {
		return nil
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.store(ctx, v, ready); err != nil {
			return err
		}
		if err := then(ctx); err != nil {
			return err
		}
		return s.Log.Append(ctx, imported.To(r, event.None(), kit.None{}))
	})
}

// render renders a message and its former contents. What cannot be rendered is shown as it was written.
func (s *Service) render(ctx context.Context, v *directory.View, p *prepared) error {
	var err error
	if p.rendered, err = s.markdown(ctx, v, p, p.Content); err != nil {
		return err
	}
	for i := range p.Edits {
		if e := &p.Edits[i]; e.PrevContent != nil {
			before, err := s.markdown(ctx, v, p, *e.PrevContent)
			if err != nil {
				return err
			}
			e.PrevRendered = &before.HTML
		}
	}
	p.message = message.Message{
		Realm: v.Realm().ID, Topic: p.Topic, TopicKey: topic.Key(p.Topic), Sender: p.Sender, Client: p.Client,
		SentAt: p.Sent, Content: p.Content, Rendered: p.rendered.HTML, RenderVersion: p.rendered.Version,
		Facts: markup.Facts(p.Content, p.rendered), EditedAt: p.Edited, MovedAt: p.Moved,
	}
	if len(p.Edits) > 0 {
		p.message.Facts |= message.Changed
	}
	if len(p.Widgets) > 0 {
		p.message.Facts |= message.HasWidget
	}
	for _, e := range p.Edits {
		if e.To != 0 {
			p.message.Facts |= message.MovedChannel
		}
	}
	if p.Channel == 0 {
		p.message.Topic, p.message.TopicKey = "", ""
		p.rendered.TopicWildcard = false
	} else {
		p.message.Recipient = message.OfChannel(p.Channel)
	}
	return nil
}

func (s *Service) markdown(
	ctx context.Context, v *directory.View, p *prepared, text string,
) (markdown.Output, error) {
	out, err := s.Markup.Render(ctx, v, markup.Text{Sender: p.Sender, Markdown: text, At: p.Sent})
	if err == nil {
		return out, nil
	}
	if plain, failed := s.Markup.Render(ctx, v, markup.Text{
		Sender: p.Sender, Markdown: "```\n" + importing.Shorten(text, 1000) + "\n```", At: p.Sent,
	}); failed == nil {
		return plain, nil
	}
	return out, err
}

// store writes the messages with what belongs to them.
func (s *Service) store(ctx context.Context, v *directory.View, all []prepared) error {
	r := v.Realm().ID
	if err := s.findConversations(ctx, r, all); err != nil {
		return err
	}
	last, err := s.Log.Lock(ctx, r)
	if err != nil {
		return err
	}
	ms := make([]*message.Message, len(all))
	for i := range all {
		ms[i] = &all[i].message
		ms[i].ID = 0
	}
	if err := s.Store.Insert(ctx, ms); err != nil {
		return err
	}
	if err := s.Store.BeginStretch(ctx, r, ms[0].ID, ms[0].SentAt); err != nil {
		return err
	}
	var widgets []message.Submessage
	var edits []message.Edit
	var reactions []message.Reaction
	var in []message.Recipient
	var flagged []flags.Assignment
	attachments := map[message.ID][]string{}
	unread := map[user.ID][]message.ID{}
	starred := map[flags.Key]message.Flag{}
	for i := range all {
		p := &all[i]
		p.ID = p.message.ID
		for _, w := range p.Widgets {
			w.Message = p.ID
			widgets = append(widgets, w)
		}
		for n, e := range p.Edits {
			e.Message, e.N, e.Seq = p.ID, n+1, int64(last)+1
			edits = append(edits, e)
		}
		for _, x := range p.Reactions {
			x.Message = p.ID
			reactions, in = append(reactions, x), append(in, p.message.Recipient)
		}
		if a := assignment(v, p); a.HasFlags() {
			flagged = append(flagged, a)
		}
		if len(p.rendered.Attachments) > 0 {
			attachments[p.ID] = p.rendered.Attachments
		}
		for _, u := range p.Starred {
			starred[flags.Key{User: u, Message: p.ID}] = message.Starred
		}
		for _, u := range p.Unread {
			unread[u] = append(unread[u], p.ID)
		}
	}
	return errors.Join(
		s.Store.Submessages.AddAll(ctx, widgets),
		s.Store.Edits.Add(ctx, edits),
		s.addReactions(ctx, reactions, in, int64(last)),
		s.Flags.SetNew(ctx, flagged),
		s.Flags.Add(ctx, starred),
		s.States.Import(ctx, unread, all[len(all)-1].ID),
		s.Hooks.Run(ctx, &message.Imported{Realm: r, Attachments: attachments}),
	)
}

// perInsert is the maximum number of reactions per statement.
const perInsert = 2000

func (s *Service) addReactions(
	ctx context.Context, all []message.Reaction, in []message.Recipient, after int64,
) error {
	for i := 0; i < len(all); i += perInsert {
		n := min(len(all), i+perInsert)
		if err := s.Store.Reactions.Add(ctx, all[i:n], in[i:n], after+int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// findConversations finds or creates the conversations of direct messages.
func (s *Service) findConversations(ctx context.Context, r realm.ID, all []prepared) error {
	var direct []*prepared
	var sets []user.Set
	for i := range all {
		if all[i].Channel == 0 {
			direct, sets = append(direct, &all[i]), append(sets, all[i].Members)
		}
	}
	if len(direct) == 0 {
		return nil
	}
	found, err := s.Store.Conversations.FindOrCreateAll(ctx, r, sets)
	for i := range found {
		direct[i].message.Recipient = found[i]
	}
	return err
}

// assignment returns the flags that a message determines, for those who receive it.
func assignment(v *directory.View, p *prepared) flags.Assignment {
	readers := p.Members
	if p.Channel != 0 {
		readers = v.Subscribers(p.Channel)
	}
	if p.Receivers != nil {
		readers = readers.And(*p.Receivers)
	}
	people := idset.Of(p.rendered.Users...)
	all := people
	for _, g := range p.rendered.Groups {
		if v.Group(g) != nil {
			all = all.Union(permission.Members(v, group.Named(g)))
		}
	}
	return flags.Assignment{Message: p.message, Mentioned: all.And(readers), Personally: people.And(readers)}
}

// Mark implements ports.MessageImport.
func (s *Service) Mark(ctx context.Context, r realm.ID, all []importing.Marked) error {
	if _, err := s.Log.Lock(ctx, r); err != nil {
		return err
	}
	set := map[flags.Key]message.Flag{}
	unread := map[user.ID][]message.ID{}
	var last message.ID
	for _, m := range all {
		if m.Flags != 0 {
			set[flags.Key{User: m.User, Message: m.Message}] |= m.Flags
		}
		if m.Unread {
			unread[m.User] = append(unread[m.User], m.Message)
			last = max(last, m.Message)
		}
	}
	return errors.Join(s.Flags.Add(ctx, set), s.States.Import(ctx, unread, last))
}

// Finish implements ports.MessageImport.
func (s *Service) Finish(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	if _, err := s.Log.Lock(ctx, r); err != nil {
		return err
	}
	for c := range v.Channels() {
		if c.FirstMessage != 0 {
			continue
		}
		first, err := s.Store.Oldest(ctx, message.OfChannel(c.ID))
		if err != nil {
			return err
		}
		if first == 0 {
			continue
		}
		posted := &channel.FirstMessagePosted{Realm: r, Channel: c.ID, First: int64(first)}
		if err := s.Hooks.Run(ctx, posted); err != nil {
			return err
		}
	}
	head, err := s.Store.Newest(ctx)
	if err != nil {
		return err
	}
	var people []user.ID
	for u := range v.Users() {
		people = append(people, u.ID)
	}
	slices.Sort(people)
	return s.States.ReadUpTo(ctx, people, head)
}
