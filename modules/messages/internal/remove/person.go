package remove

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Limits on the work of a transaction while a user's data is erased.
const (
	messagesPerSearch = 20_000 // messages searched for mentions with one query
	archivedPerBlock  = 200    // archived messages examined in one transaction
)

// erasing completes the deletion of a user's messages, deletes those in the archive, and replaces the user's name in
// mentions, also in former texts. Then it removes what has been deleted from the index of words.
func (s *Service) erasing(ctx context.Context, m *user.Erasing) error {
	all, err := s.Store.Purges.Of(ctx, m.User.ID)
	if err != nil {
		return err
	}
	for _, p := range all {
		for more := true; more; {
			if more, err = s.purge(ctx, p.Realm, p.ID); err != nil {
				return err
			}
		}
	}
	if m.Messages { // the user's parts of messages that others have sent, such as options of polls
		err := s.Work.Do(ctx, func(ctx context.Context) error { return s.Store.Submessages.DeleteOf(ctx, m.User.ID) })
		if err != nil {
			return err
		}
	}
	if err := s.eraseArchived(ctx, m); err != nil {
		return err
	}
	if err := s.anonymizeMentions(ctx, m); err != nil {
		return err
	}
	for first, more := true, true; more; first = false {
		more, err = kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) { return s.Store.Words.Merge(ctx, first) })
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseArchived deletes a user's messages from the archive, and the user's name from mentions in those of others.
func (s *Service) eraseArchived(ctx context.Context, m *user.Erasing) error {
	a := message.NewAnonymizer(m.User.ID)
	for last, more := message.ID(0), true; more; {
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			all, err := s.Store.Archived(ctx, m.Realm, last, archivedPerBlock)
			if err != nil {
				return err
			}
			more = len(all) == archivedPerBlock
			var gone []message.ID
			for i := range all {
				last = all[i].ID
				if all[i].Sender == m.User.ID {
					gone = append(gone, all[i].ID)
				} else if a.Message(&all[i]) {
					if err := s.Store.RewriteArchived(ctx, &all[i]); err != nil {
						return err
					}
				}
			}
			return s.Store.DropArchived(ctx, gone)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// anonymizeMentions replaces a user's name in mentions. It searches all messages, since silent mentions are recorded
// nowhere else, and notifies nobody: clients show the names that they know for mentioned users.
func (s *Service) anonymizeMentions(ctx context.Context, m *user.Erasing) error {
	a := message.NewAnonymizer(m.User.ID)
	newest, err := s.Store.Newest(ctx)
	if err != nil {
		return err
	}
	for from := message.ID(1); from <= newest; from += messagesPerSearch {
		in := store.Range{From: from, To: from + messagesPerSearch - 1}
		ids, err := s.Store.Containing(ctx, m.Realm, in, a.Mark())
		if err != nil {
			return err
		}
		edits, err := s.Store.Edits.Containing(ctx, in, a.Mark())
		if err != nil {
			return err
		}
		for part := range slices.Chunk(edits, messagesPerPurge) {
			err := s.Work.Do(ctx, func(ctx context.Context) error {
				for i := range part {
					if a.Edit(&part[i]) {
						if err := s.Store.Edits.Rewrite(ctx, &part[i]); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for part := range slices.Chunk(ids, messagesPerPurge) {
			err := s.Work.Do(ctx, func(ctx context.Context) error { return s.anonymize(ctx, m, a, part) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// anonymize replaces a user's name in messages.
func (s *Service) anonymize(ctx context.Context, m *user.Erasing, a *message.Anonymizer, ids []message.ID) error {
	if _, err := s.Directory.View(ctx, m.Realm); err != nil { // the realm is always locked before rows
		return err
	}
	if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	ms, err := s.Store.Lock(ctx, m.Realm, ids)
	if err != nil {
		return err
	}
	for i := range ms {
		if a.Message(&ms[i]) {
			if err := s.Store.Rewrite(ctx, &ms[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
