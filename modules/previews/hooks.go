package previews

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
)

// sent queues messages with previewable links, in the transaction that sends them.
func (s *service) sent(ctx context.Context, m *message.Sent) error {
	if len(m.Pages) == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var add []queued
	for _, one := range m.Messages {
		if pages := m.Pages[one.ID]; len(pages) > 0 && message.ShowsPages(v, one.Sender) {
			add = append(add, queued{MessageID: one.ID, RealmID: m.Realm, Pages: pages, DueAt: s.Clock.Now()})
		}
	}
	s.Work.AfterCommit(ctx, s.backlog.Added)
	return s.store.Queue(ctx, add)
}

// edited queues an edited message with its new links, or removes it from the queue if it has none.
func (s *service) edited(ctx context.Context, m *message.Edited) error {
	if m.Before.Content == m.After.Content && len(m.Pages) == 0 {
		return nil // the message was only moved
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if len(m.Pages) == 0 || !message.ShowsPages(v, m.After.Sender) {
		return s.store.Drop(ctx, m.After.ID)
	}
	s.Work.AfterCommit(ctx, s.backlog.Added)
	return s.store.Queue(ctx, []queued{{MessageID: m.After.ID, RealmID: m.Realm, Pages: m.Pages, DueAt: s.Clock.Now()}})
}

// missed queues the links of messages that were sent or edited while the module was left out.
func (s *service) missed(ctx context.Context, m *message.Missed) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, m.Realm)
		if err != nil {
			return err
		}
		var add []queued
		var drop []message.ID
		for _, one := range m.Messages {
			if len(one.Pages) > 0 && message.ShowsPages(v, one.Sender) {
				add = append(add, queued{MessageID: one.ID, RealmID: m.Realm, Pages: one.Pages, DueAt: s.Clock.Now()})
			} else {
				drop = append(drop, one.ID)
			}
		}
		s.Work.AfterCommit(ctx, s.backlog.Added)
		return errors.Join(s.store.Drop(ctx, drop...), s.store.Queue(ctx, add))
	})
}

// deleted removes messages from the queue.
func (s *service) deleted(ctx context.Context, m *message.Deleted) error {
	ids := make([]message.ID, len(m.Messages))
	for i := range m.Messages {
		ids[i] = m.Messages[i].ID
	}
	return s.store.Drop(ctx, ids...)
}

// embeds answers message.PagePreviews with the cached previews, even expired ones, so that a message keeps its previews
// when it is rendered again.
func (s *service) embeds(ctx context.Context, q message.PagePreviews) (map[string]markdown.Embed, error) {
	cached, err := s.store.Cached(ctx, q.Pages)
	all := map[string]markdown.Embed{}
	for address, p := range cached {
		if p.Found {
			all[address] = p.embed()
		}
	}
	return all, err
}
