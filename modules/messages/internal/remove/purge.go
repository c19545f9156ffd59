package remove

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// A user's messages can be deleted when the account is deactivated. The transaction that deactivates the account
// records a purge. The messages are then deleted in blocks, oldest first, in the same way as users delete messages.
// Small purges are completed before the response is sent, others by a job.

const (
	promptBlocks     = 2                // blocks deleted before the response is sent
	maxPromptTime    = 10 * time.Second // time after which the response is sent and the job takes over
	purgesPerRead    = 100              // purges read at once
	messagesPerPurge = 500              // messages per transaction, so that senders do not wait long
)

// Listeners returns the package's hooks.
func (s *Service) Listeners() []kit.Hook {
	return []kit.Hook{kit.On(s.recordPurge), kit.On(s.limitPurges), kit.On(s.erasing)}
}

// recordPurge records that a user's messages are to be deleted.
func (s *Service) recordPurge(ctx context.Context, m *user.MessageDeletionRequested) error {
	p := &store.Purge{
		Realm: m.Realm, User: m.User, By: m.By.User, InPublic: m.Deletion.PublicChannels,
		InPrivate: m.Deletion.PrivateChannels,
		Direct:    m.Deletion.DirectMessages, CreatedAt: s.Clock.Now(),
	}
	if err := s.Store.Purges.Add(ctx, p); err != nil {
		return err
	}
	s.Work.AfterCommit(ctx, func(ctx context.Context) {
		until := p.CreatedAt.Add(maxPromptTime)
		for range promptBlocks {
			if more, err := s.purge(ctx, p.Realm, p.ID); err != nil || !more || s.Clock.Now().After(until) {
				break // the job continues
			}
		}
		s.purges.Added(ctx)
	})
	return nil
}

// limitPurges limits a reactivated user's purges to messages sent before the reactivation.
func (s *Service) limitPurges(ctx context.Context, m *user.Reactivated) error {
	newest, err := s.Store.Newest(ctx)
	if err != nil {
		return err
	}
	return s.Store.Purges.Limit(ctx, m.User, max(newest, 1))
}

// Purges returns the job that completes purges.
func (s *Service) Purges() kit.Job {
	s.purges.Earliest = store.AnyPurge
	return kit.Job{
		Name: "purges", Every: 15 * time.Second, Backlog: &s.purges, Timeout: 30 * time.Minute, Run: s.purgeAll,
	}
}

func (s *Service) purgeAll(ctx context.Context) error {
	var failed error
	for last := int64(0); ; {
		all, err := s.Store.Purges.List(ctx, last, purgesPerRead)
		if err != nil || len(all) == 0 {
			return errors.Join(failed, err)
		}
		for _, p := range all {
			last = p.ID
			for more := true; more && err == nil; {
				more, err = s.purge(ctx, p.Realm, p.ID)
			}
			failed, err = errors.Join(failed, err), nil
		}
	}
}

// purge deletes the next block of a purge and reports whether there may be more.
func (s *Service) purge(ctx context.Context, r realm.ID, id int64) (bool, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
		v, err := s.Directory.View(ctx, r) // locks the realm: another node may be purging
		if err != nil {
			return false, err
		}
		p, err := s.Store.Purges.Get(ctx, id)
		if err != nil || p == nil {
			return false, err
		}
		to := p.Upto
		if to == 0 {
			to = message.MaxID
		}
		heads, err := s.Store.ScanSender(ctx, store.Scan{
			Filter: store.Filter{Sender: p.User}, Range: store.Range{From: p.Done + 1, To: to}, Limit: messagesPerPurge,
		})
		if err != nil {
			return false, err
		}
		kept := func(m message.Message) bool { return !message.IncludedInDeletion(v, p.Deletion(), m.Recipient) }
		more := len(heads) == messagesPerPurge
		if more {
			err = s.Store.Purges.SetDone(ctx, id, heads[len(heads)-1].ID)
		} else {
			err = s.Store.Purges.End(ctx, id)
		}
		if err != nil {
			return false, err
		}
		ms, err := s.Store.Lock(ctx, r, idsOf(slices.DeleteFunc(heads, kept)))
		if err != nil {
			return false, err
		}
		ms = slices.DeleteFunc(ms, kept) // moved in the meantime
		if len(ms) == 0 {
			return more, nil
		}
		return more, s.eraseAll(ctx, v, user.Actor{Realm: r, User: p.By}, ms)
	})
}

// eraseAll is like Erase, but accepts messages of several conversations and determines the shares itself.
func (s *Service) eraseAll(ctx context.Context, v *directory.View, by user.Actor, ms []message.Message) error {
	all, err := s.Audience.SharesByConversation(ctx, v, ms)
	if err != nil {
		return err
	}
	var notified []audience.Share
	for _, in := range all {
		shares := in.Shares
		if permission.Reads(v, message.ChannelOf(v, in.Messages[0].Recipient), v.User(by.User)) {
			shares = withActor(v, shares, by.User, in.Messages)
		}
		notified = append(notified, shares...)
	}
	if err := s.archive(ctx, v, by, ms, notified); err != nil {
		return err
	}
	return s.updateFirsts(ctx, v, by, ms)
}

// updateFirsts updates the oldest message of channels whose oldest message was deleted.
func (s *Service) updateFirsts(ctx context.Context, v *directory.View, by user.Actor, gone []message.Message) error {
	var cs []*channel.Channel
	var in []message.Recipient
	for _, m := range gone {
		if c := message.ChannelOf(v, m.Recipient); c != nil && c.FirstMessage == int64(m.ID) {
			cs, in = append(cs, c), append(in, m.Recipient)
		}
	}
	if len(cs) == 0 {
		return nil
	}
	oldest, err := s.Store.OldestOf(ctx, in)
	if err != nil {
		return err
	}
	for i, c := range cs {
		moved := &channel.FirstMoved{Realm: by.Realm, Channel: c.ID, First: int64(oldest[in[i]])}
		if err := s.Hooks.Run(ctx, moved); err != nil {
			return err
		}
	}
	return nil
}
