package markup

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Text is a text to render.
type Text struct {
	Sender   user.ID    // whose permissions limit what the text can link to
	Message  message.ID // 0 for a new message
	RealmURL string     // the address at which the sender reached the realm; "" if unknown
	Markdown string
	At       time.Time // when it was sent; zero for now
}

// TextOf returns the text of a stored message, as written by sender.
func TextOf(m *message.Message, sender user.ID) Text {
	return Text{Sender: sender, Message: m.ID, RealmURL: m.RealmURL, Markdown: m.Content, At: m.SentAt}
}

// Render renders a text.
func (s *Service) Render(ctx context.Context, v *directory.View, t Text) (markdown.Output, error) {
	return s.Renderer.Render(ctx, v, s.source(v, t))
}

// source returns the renderer's input for a text.
func (s *Service) source(v *directory.View, t Text) markdown.Source {
	if t.At.IsZero() {
		t.At = s.Clock.Now()
	}
	out := markdown.Source{
		Text: t.Markdown, Sender: t.Sender, RealmURL: t.RealmURL, At: t.At,
		Topics: func(ctx context.Context, uploads []markdown.Topic) (map[markdown.Topic]int64, error) {
			return s.newestMessages(ctx, v, t.Sender, uploads)
		},
		Uploads: func(ctx context.Context, paths []string) (map[string]markdown.Upload, error) {
			usable, _, err := s.Usable.Ask(ctx,
				message.UsableFiles{Realm: v.Realm().ID, Sender: t.Sender, Message: t.Message, Paths: paths})
			return usable, err
		},
	}
	if u := v.User(t.Sender); u != nil {
		out.Emoticons = u.Settings.TranslateEmoticons
	}
	return out
}

// maxLinked is the maximum number of topics looked up per text.
const maxLinked = 100

// newestMessages returns the newest message of each topic that a text links to. Clients use it to find renamed topics.
// It omits topics in channels with protected history, since not every reader of the text has that message.
func (s *Service) newestMessages(
	ctx context.Context,
	v *directory.View,
	sender user.ID,
	linked []markdown.Topic,
) (map[markdown.Topic]int64, error) {
	places := make([]store.TopicRef, 0, len(linked))
	topics := map[store.TopicRef][]markdown.Topic{}
	for _, t := range linked {
		c := v.Channel(t.Channel)
		if c == nil || len(places) == maxLinked || sender != 0 && !permission.ReadsAll(v, c, v.User(sender)) ||
			!c.HistoryPublic {
			continue
		}
		place := store.TopicRef{Recipient: message.OfChannel(c.ID), Key: topic.Key(t.Name)}
		if topics[place] == nil {
			places = append(places, place)
		}
		topics[place] = append(topics[place], t)
	}
	found, err := s.Store.NewestOf(ctx, places)
	out := make(map[markdown.Topic]int64, len(found))
	for place, id := range found {
		for _, t := range topics[place] {
			out[t] = int64(id)
		}
	}
	return out, err
}
