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

// Source returns the renderer's input for a text written by sender, whose permissions limit what the text can link to.
// url is the address at which the sender reached the realm, or "" if unknown. If a message is rerendered, of is its ID
// and at the time when it was sent; for a new message, both are zero.
func (s *Service) Source(
	v *directory.View,
	sender user.ID,
	of message.ID,
	url, text string,
	at time.Time,
) markdown.Source {
	if at.IsZero() {
		at = s.Clock.Now()
	}
	out := markdown.Source{
		Text: text, Sender: sender, RealmURL: url, At: at,
		Topics: func(ctx context.Context, asked []markdown.Topic) (map[markdown.Topic]int64, error) {
			return s.newest(ctx, v, sender, asked)
		},
		Uploads: func(ctx context.Context, paths []string) (map[string]markdown.Upload, error) {
			asked := &message.Uploads{
				Realm:   v.Realm().ID,
				Sender:  sender,
				Message: of,
				Paths:   paths,
				Known:   map[string]markdown.Upload{},
			}
			err := s.Hooks.Run(ctx, asked)
			return asked.Known, err
		},
	}
	if u := v.User(sender); u != nil {
		out.Emoticons = u.Settings.TranslateEmoticons
	}
	return out
}

// maxLinked is the maximum number of topics looked up per text.
const maxLinked = 100

// newest returns the newest message of each topic that a text links to. Clients use it to find renamed topics. It omits
// topics in channels with protected history, since not every reader of the text has that message.
func (s *Service) newest(
	ctx context.Context,
	v *directory.View,
	sender user.ID,
	asked []markdown.Topic,
) (map[markdown.Topic]int64, error) {
	places := make([]store.TopicOf, 0, len(asked))
	by := map[store.TopicOf][]markdown.Topic{}
	for _, t := range asked {
		c := v.Channel(t.Channel)
		if c == nil || len(places) == maxLinked || sender != 0 && !permission.ReadsAll(v, c, v.User(sender)) ||
			!c.HistoryPublic {
			continue
		}
		place := store.TopicOf{Recipient: message.OfChannel(c.ID), Key: topic.Key(t.Name)}
		if by[place] == nil {
			places = append(places, place)
		}
		by[place] = append(by[place], t)
	}
	found, err := s.Store.NewestOf(ctx, places)
	out := make(map[markdown.Topic]int64, len(found))
	for place, id := range found {
		for _, t := range by[place] {
			out[t] = int64(id)
		}
	}
	return out, err
}
