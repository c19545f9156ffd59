package topics

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
)

// missed applies the automatic policies of the senders of messages that were sent while the module was left out.
// Mentions and reactions are not made up for.
func (s *service) missed(ctx context.Context, m *message.Missed) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, m.Realm)
		if err != nil {
			return err
		}
		var ts []*trigger
		for _, one := range m.Messages {
			u := human(v, one.Sender)
			if _, isChannel := one.Recipient.Channel(); isChannel && one.New && u != nil {
				ts = append(ts, &trigger{user: u, message: one.Message, did: topic.Wrote})
			}
		}
		_, err = s.applyTriggers(ctx, m.Realm, ts)
		return err
	})
}

// catchUp moves the policies of topics that were moved while the module was left out.
func (s *service) catchUp(ctx context.Context, r realm.ID, since time.Time) error {
	moves, _, err := s.Moves.Ask(ctx, message.MovedSince{Realm: r, Since: since})
	if err != nil {
		return err
	}
	for i := range moves {
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			v, err := s.Directory.View(ctx, r)
			m := &moves[i]
			if err != nil || v.Channel(topicAt(m.From).Channel) == nil || v.Channel(topicAt(m.To).Channel) == nil {
				return err
			}
			return s.edited(ctx, m)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
