// Package catchup tells modules that were left out of the configuration for a while what they missed of messages.
package catchup

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// scanned is the maximum number of messages that one query covers.
const scanned = 1000

// Service answers queries about messages.
type Service struct {
	Store     *store.Store
	Markup    *markup.Service
	Audience  *audience.Service
	Directory ports.Directory
}

// ChangedSince answers message.ChangedSince.
func (s *Service) ChangedSince(ctx context.Context, q message.ChangedSince) (message.ChangedMessages, error) {
	ids, upto, err := s.Store.ChangedSince(ctx, q.Realm, q.Since, q.After, scanned)
	out := message.ChangedMessages{Upto: upto}
	if err != nil || len(ids) == 0 {
		return out, err
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return out, err
	}
	messages, err := s.Store.ByID(ctx, q.Realm, ids)
	if err != nil {
		return out, err
	}
	for _, m := range messages {
		files, pages, err := s.Markup.References(ctx, v, &m)
		if err != nil {
			return out, err
		}
		out.Messages = append(out.Messages, message.ChangedMessage{
			Message: m, New: !m.SentAt.Before(q.Since), Attachments: files, Pages: pages,
		})
	}
	slices.SortFunc(out.Messages, func(a, b message.ChangedMessage) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// Gone answers message.Gone.
func (s *Service) Gone(ctx context.Context, q message.Gone) ([]message.ID, error) {
	found, err := s.Store.Heads(ctx, q.Realm, q.Messages)
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(slices.Clone(q.Messages), func(id message.ID) bool {
		return slices.ContainsFunc(found, func(m message.Message) bool { return m.ID == id })
	})
	slices.Sort(gone)
	return gone, nil
}
