package send

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/ports"
)

// ServerClient is the client name of messages sent by the server itself.
const ServerClient = "Internal"

// Notice is a message about a change, sent by the notification bot or another system bot.
type Notice struct {
	From      string           // local part of the bot's email address; "" for the notification bot
	ToChannel *channel.Channel // if nil, the notice is sent to Person
	ToUser    user.ID
	Topic     string
	Text      string
	ReadFor   user.ID // the user who made the change, for whom the notice is read
	As        user.ID // the user whose permissions limit what the text can link to; 0: no limit
	Resolve   bool    // a resolve notice; a user setting determines for whom it is unread
}

// Notify writes notices in the transaction of the change that they are about, after the events of the change. It makes
// no permission checks and also writes to archived channels. Mentions in notices notify no one. If the realm has no
// notification bot, Notify does nothing.
func (s *Service) Notify(ctx context.Context, r realm.ID, all []Notice) error {
	if len(all) == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	bot := v.SystemBot(user.NotificationBot)
	if bot == nil {
		return nil
	}
	drafts := make([]*draft, 0, len(all))
	size := 0
	for _, n := range all {
		from := bot
		if n.From != "" {
			from = v.SystemBot(n.From)
		}
		if from == nil {
			continue
		}
		d, err := s.noticeDraft(ctx, v, from, n)
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
		size += len(d.message.Content) + len(d.message.Rendered) + 256
	}
	if err := s.findConversations(ctx, r, drafts); err != nil {
		return err
	}
	return s.Writer.Submit(ctx, r, bot.ID, &ports.Intent{Kind: s.notices, Value: drafts, Size: size})
}

func (s *Service) noticeDraft(ctx context.Context, v *directory.View, bot *user.User, n Notice) (*draft, error) {
	content, err := message.Clean(n.Text)
	if err != nil {
		return nil, err
	}
	d := &draft{message: message.Message{
		Realm: v.Realm().ID, Sender: bot.ID, Client: ServerClient, Content: content, ReadFor: n.ReadFor,
	}}
	if n.Resolve {
		d.message.Notice = 1
	}
	if n.ToChannel == nil {
		d.members = idset.Of(bot.ID, n.ToUser)
	} else {
		d.channel = n.ToChannel.ID
		d.message.Recipient = message.OfChannel(n.ToChannel.ID)
		d.message.Topic, d.message.TopicKey = n.Topic, topic.Key(n.Topic)
	}
	out, err := s.Markup.Render(ctx, v, markup.Text{Sender: n.As, Markdown: content})
	if err != nil {
		return nil, err
	}
	d.rendered = withoutMentions(out, nil)
	d.message.Rendered, d.message.RenderVersion = out.HTML, out.Version
	d.message.Facts = markup.Facts(content, d.rendered)
	d.alerted = alertword.Alerted(v, content)
	if n.Resolve {
		d.unreadNotice, err = s.noticeReaders(ctx, v, d.message)
	}
	return d, err
}

// withoutMentions returns a rendering without mentions and without attachments other than those in keep.
func withoutMentions(out markdown.Output, keep []string) markdown.Output {
	files := slices.DeleteFunc(slices.Clone(out.Attachments), func(p string) bool { return !slices.Contains(keep, p) })
	return markdown.Output{HTML: out.HTML, Version: out.Version, Link: out.Link, Image: out.Image, Attachments: files}
}

// noticeReaders returns the users for whom a resolve notice is unread because they follow its topic.
func (s *Service) noticeReaders(ctx context.Context, v *directory.View, m message.Message) (user.Set, error) {
	c, _ := m.Recipient.Channel()
	at := readstate.Topic{Channel: c, Key: m.TopicKey}
	followers, _, err := s.Followers.Ask(ctx, readstate.TopicFollowers{Realm: m.Realm, Topic: at})
	var all user.Set
	for _, id := range followers {
		if u := v.User(id); u != nil && readstate.UnreadIfFollowed(u) && id != m.ReadFor {
			all = append(all, id)
		}
	}
	return all, err
}

// findConversations finds or creates the conversations of direct notices.
func (s *Service) findConversations(ctx context.Context, r realm.ID, drafts []*draft) error {
	var direct []*draft
	var sets []user.Set
	for _, d := range drafts {
		if d.channel == 0 {
			direct, sets = append(direct, d), append(sets, d.members)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	found, err := s.Store.Conversations.FindOrCreateAll(ctx, r, sets)
	for i := range found {
		direct[i].message.Recipient = found[i]
	}
	return err
}

// writeNotices writes the notices of several intents.
func (s *Service) writeNotices(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	var all []*draft
	for _, i := range in {
		all = append(all, i.Value.([]*draft)...)
	}
	if err := s.store(ctx, v, all, true); err != nil {
		return nil, err
	}
	return s.publish(ctx, v, all)
}
