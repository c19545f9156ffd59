// Package retention deletes channel messages that are older than the channel's retention limit, and direct messages
// that are older than the realm's. They are deleted in the same way as users delete messages: they are moved to the
// archive, and users who could see them are notified. Each transaction reads the setting again, so that nothing is
// deleted after the limit has been raised.
package retention

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/remove"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

const (
	messagesPerStep = 500              // messages per transaction, so that senders do not wait long
	window          = message.ID(1e5)  // IDs examined at once for direct messages
	maxClockSkew    = time.Hour        // maximum difference between the nodes' clocks
	timeout         = 30 * time.Minute // maximum duration of a run
)

// Service deletes old messages.
type Service struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Remover  *remove.Service
	Realms   ports.Realms
	Days     kit.Query[message.RetentionDays, map[realm.ID]int]
	Oldest   kit.Query[message.OldestRetained, []message.First]
}

// Job returns the job that deletes old messages.
func (s *Service) Job() kit.Job {
	return kit.Job{Name: "retention", Deletes: true, Every: time.Hour, Timeout: timeout, Run: s.retain}
}

func (s *Service) retain(ctx context.Context) error {
	days, _, err := s.Days.Ask(ctx, message.RetentionDays{})
	if err != nil {
		return err
	}
	firsts, _, err := s.Oldest.Ask(ctx, message.OldestRetained{Days: days})
	if err != nil {
		return err
	}
	due, err := s.expired(ctx, firsts)
	if err != nil {
		return err
	}
	all, err := s.Realms.Active(ctx)
	for _, r := range all {
		if due[r] {
			err = errors.Join(err, s.retainIn(ctx, r))
		}
		if keeps, ends := channel.KeepsFor(days[r]); ends {
			err = errors.Join(err, s.retainDirect(ctx, r, keeps))
		}
	}
	return err
}

// expired returns the realms in which the oldest message of a channel is too old, or that must be examined because the
// oldest message is not the one with the lowest ID.
func (s *Service) expired(ctx context.Context, firsts []message.First) (map[realm.ID]bool, error) {
	ids := make([]message.ID, len(firsts))
	for i, f := range firsts {
		ids[i] = f.Message
	}
	sent, err := s.Store.SentAt(ctx, ids)
	if err != nil {
		return nil, err
	}
	mixed, err := s.Store.Mixed(ctx)
	if err != nil {
		return nil, err
	}
	now, due := s.Clock.Now(), map[realm.ID]bool{}
	for _, r := range mixed {
		due[r] = true
	}
	for _, f := range firsts {
		if keeps, ends := channel.KeepsFor(f.Days); ends {
			if at, found := sent[f.Message]; !found || at.Before(now.Add(-keeps)) {
				due[f.Realm] = true
			}
		}
	}
	return due, nil
}

// retainIn deletes old messages in the channels of a realm.
func (s *Service) retainIn(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil || v.Realm() == nil {
		return err
	}
	stretches, err := s.Store.Stretches(ctx, r)
	if err != nil {
		return err
	}
	due, err := s.overdue(ctx, v, len(stretches) > 1)
	for _, c := range due {
		for _, in := range stretches {
			for more := true; more && err == nil; {
				more, err = kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
					return s.retainChannel(ctx, r, c, in)
				})
			}
		}
	}
	return err
}

// overdue returns the channels whose message with the lowest ID is too old or, if mixed, all that messages are deleted
// in.
func (s *Service) overdue(ctx context.Context, v *directory.View, mixed bool) ([]channel.ID, error) {
	now, days := s.Clock.Now(), v.Realm().Settings.MessageRetentionDays
	before := map[channel.ID]time.Time{}
	var firsts []message.ID
	for c := range v.Channels() {
		if keeps, ends := c.Keeps(days); ends && c.FirstMessage != 0 {
			before[c.ID] = now.Add(-keeps)
			firsts = append(firsts, message.ID(c.FirstMessage))
		}
	}
	if len(firsts) == 0 {
		return nil, nil
	}
	sent, err := s.Store.SentAt(ctx, firsts)
	if err != nil {
		return nil, err
	}
	var due []channel.ID
	for c := range v.Channels() {
		if cut, ends := before[c.ID]; ends {
			if at, found := sent[message.ID(c.FirstMessage)]; mixed || !found || at.Before(cut) {
				due = append(due, c.ID)
			}
		}
	}
	return due, nil
}

// retainChannel deletes some of a channel's old messages in a stretch, oldest first, and reports whether there may be
// more.
func (s *Service) retainChannel(ctx context.Context, r realm.ID, id channel.ID, in store.Range) (bool, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return false, err
	}
	c := v.Channel(id)
	if c == nil || v.Realm() == nil {
		return false, nil
	}
	keeps, ends := c.Keeps(v.Realm().Settings.MessageRetentionDays)
	if !ends {
		return false, nil
	}
	ids, err := s.Store.SentBefore(ctx, message.OfChannel(id), in, s.Clock.Now().Add(-keeps), messagesPerStep)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	ms, err := s.Store.Lock(ctx, r, ids)
	if err != nil {
		return false, err
	}
	movedAway := func(m message.Message) bool { return m.Recipient != message.OfChannel(id) }
	ms = slices.DeleteFunc(ms, movedAway)
	if len(ms) == 0 {
		return len(ids) == messagesPerStep, nil
	}
	shares, err := s.Audience.Shares(ctx, v, ms)
	if err != nil {
		return false, err
	}
	return len(ids) == messagesPerStep, s.Remover.Erase(ctx, v, server(r), ms, shares, c)
}

// server returns the actor for automatic deletions.
func server(r realm.ID) user.Actor { return user.Actor{Realm: r, System: true} }

// direct holds the parameters of a run over a realm's direct messages in a stretch.
type direct struct {
	realm   realm.ID
	in      store.Range
	keeps   time.Duration
	cutoff  time.Time
	last    message.ID // no message with a higher ID is too old
	certain message.ID // messages with IDs up to this one are too old even if clocks differ
}

// retainDirect deletes old direct messages. It stores the ID up to which none are left, so that each message is
// examined only once.
func (s *Service) retainDirect(ctx context.Context, r realm.ID, keeps time.Duration) error {
	stretches, err := s.Store.Stretches(ctx, r)
	for _, in := range stretches {
		err = errors.Join(err, s.retainDirectIn(ctx, r, in, keeps))
	}
	return err
}

func (s *Service) retainDirectIn(ctx context.Context, r realm.ID, in store.Range, keeps time.Duration) error {
	d := direct{realm: r, in: in, keeps: keeps, cutoff: s.Clock.Now().Add(-keeps)}
	var err error
	if d.last, err = s.Store.LastBefore(ctx, r, in, d.cutoff); err != nil {
		return err
	}
	if d.certain, err = s.Store.LastBefore(ctx, r, in, d.cutoff.Add(-maxClockSkew)); err != nil {
		return err
	}
	from, err := s.Store.Retention.Upto(ctx, r, in)
	for err == nil && from < d.last {
		from, err = kit.Tx(ctx, s.Work, func(ctx context.Context) (message.ID, error) { return s.directStep(ctx, d, from) })
	}
	return err
}

// directStep deletes some of the old direct messages with IDs above from and returns the ID to continue from.
func (s *Service) directStep(ctx context.Context, d direct, from message.ID) (message.ID, error) {
	to := min(d.last, from+window)
	ids, err := s.Store.Retention.Before(ctx, d.realm, from+1, to, d.cutoff, messagesPerStep)
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 { // independent of the current setting, so the view is not needed
		if upto := min(to, d.certain); upto > from {
			err = s.Store.Retention.SetUpto(ctx, d.realm, d.in, upto)
		}
		return to, err
	}
	v, err := s.Directory.View(ctx, d.realm)
	if err != nil {
		return 0, err
	}
	if keeps, _ := channel.KeepsFor(v.Realm().Settings.MessageRetentionDays); keeps != d.keeps {
		return d.last, nil // the setting has changed; the next run handles it
	}
	if len(ids) == messagesPerStep {
		to = ids[len(ids)-1]
	}
	ms, err := s.Store.Lock(ctx, d.realm, ids)
	if err != nil {
		return 0, err
	}
	if upto := min(to, d.certain); upto > from {
		if err := s.Store.Retention.SetUpto(ctx, d.realm, d.in, upto); err != nil {
			return 0, err
		}
	}
	return to, s.eraseDirect(ctx, v, ms)
}

func (s *Service) eraseDirect(ctx context.Context, v *directory.View, ms []message.Message) error {
	if len(ms) == 0 {
		return nil
	}
	to, err := s.Audience.Of(ctx, v, ms)
	if err != nil {
		return err
	}
	at := map[message.Recipient]int{}
	var shares []audience.Share
	for i, m := range ms {
		n, ok := at[m.Recipient]
		if !ok {
			n = len(shares)
			at[m.Recipient], shares = n, append(shares, audience.Share{To: to[i]})
		}
		shares[n].Messages = append(shares[n].Messages, m)
	}
	return s.Remover.Erase(ctx, v, server(v.Realm().ID), ms, shares, nil)
}
