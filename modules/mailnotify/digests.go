package mailnotify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	digestKind       = "digests"
	digestPeriod     = 7 * 24 * time.Hour // period before the run that a digest covers
	minAbsence       = 5 * 24 * time.Hour // minimum absence of users who receive digests
	digestsPerTx     = 200                // maximum number of users per transaction
	maxDiscussions   = 500                // number of an organization's discussions from which those for users are chosen
	maxDigestEntries = 8                  // discussions per user: more than are shown, because some may be read in between
)

// digests is the job that posts the weekly digests of the organizations whose digest day is today.
func (s *service) digests(ctx context.Context) error {
	all, err := s.Realms.Active(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, r := range all {
		failed = append(failed, s.runDigests(ctx, r))
	}
	return errors.Join(failed...)
}

// runDigests posts the digests of one organization if they are due. It continues an interrupted run.
func (s *service) runDigests(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil || v.Realm() == nil || !v.Realm().Settings.DigestEmailsEnabled {
		return err
	}
	run, err := s.store.DigestRun(ctx, r)
	if err != nil {
		return err
	}
	if run == nil {
		run = &digestRun{RealmID: r}
	}
	now := s.Clock.Now()
	if !notification.DigestDue(now, v.Realm().Settings.DigestWeekday, s.cfg.DigestHour, run.BegunAt) {
		return nil
	}
	if today := run.BegunAt.UTC().Format(time.DateOnly) == now.UTC().Format(time.DateOnly); today && run.Done {
		return nil
	} else if !today {
		run = &digestRun{RealmID: r, BegunAt: now}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.store.BeginDigest(ctx, run) }); err != nil {
			return err
		}
	}
	return s.postDigests(ctx, v, run)
}

// postDigests posts digests to users who were away, in the order of their IDs.
func (s *service) postDigests(ctx context.Context, v *directory.View, run *digestRun) error {
	choose, err := s.chooser(ctx, v, run)
	if err != nil {
		return err
	}
	people, err := s.absentUsers(ctx, v, run)
	if err != nil {
		return err
	}
	for {
		batch := people[:min(len(people), digestsPerTx)]
		people = people[len(batch):]
		upto, done := run.AfterUser, len(people) == 0
		var letters []digestLetter
		for _, u := range batch {
			upto = u.ID
			if chosen := choose(u); len(chosen) > 0 {
				letters = append(
					letters,
					digestLetter{RealmID: run.RealmID, UserID: u.ID, Discussions: chosen, CreatedAt: s.Clock.Now()},
				)
			}
		}
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			if first, err := s.store.AdvanceDigest(ctx, run, upto, done); err != nil || !first {
				return cmp.Or(err, errDoneElsewhere)
			}
			if len(letters) == 0 {
				return nil
			}
			if err := s.store.NewDigests(ctx, letters); err != nil {
				return err
			}
			post := make([]mail.Letter, len(letters))
			for i := range letters {
				post[i] = mail.Letter{Kind: digestKind, Ref: letters[i].ID}
			}
			return s.Outbox.Post(ctx, run.RealmID, post...)
		})
		if errors.Is(err, errDoneElsewhere) || err == nil && done {
			return nil
		}
		if err != nil {
			return err
		}
		run.AfterUser = upto
	}
}

// absentUsers returns the remaining users of a run who want digests and were away: they have not reported presence,
// sent messages, or connected a client. The result is sorted by ID.
func (s *service) absentUsers(ctx context.Context, v *directory.View, run *digestRun) ([]*user.User, error) {
	since := run.BegunAt.Add(-minAbsence)
	recent, _, err := s.RecentlyActive.Ask(ctx, user.RecentlyActive{Realm: run.RealmID, Since: since})
	if err != nil {
		return nil, err
	}
	writers, _, err := s.Writers.Ask(ctx, message.Writers{Realm: run.RealmID, Since: since})
	if err != nil {
		return nil, err
	}
	present := recent.Union(writers)
	var out []*user.User
	var ids []user.ID
	for u := range v.Users() {
		if u.Active && !u.IsBot() && u.Settings.EnableDigestEmails && u.Joined.Before(since) && u.ID > run.AfterUser &&
			!present.Has(u.ID) {
			out, ids = append(out, u), append(ids, u.ID)
		}
	}
	connected, _, err := s.Listening.Ask(ctx, event.Listening{Realm: run.RealmID, Users: idset.Of(ids...)})
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(u *user.User) bool { _, is := connected[u.ID]; return is })
	slices.SortFunc(out, func(x, y *user.User) int { return cmp.Compare(x.ID, y.ID) })
	return out, nil
}

// chooser returns a function that chooses the discussions for a user's digest: the most active ones in the user's
// channels, except muted ones.
func (s *service) chooser(
	ctx context.Context, v *directory.View, run *digestRun,
) (func(*user.User) []digestEntry, error) {
	all, _, err := s.MostDiscussed.Ask(ctx, message.MostDiscussed{
		Realm: run.RealmID, Since: run.BegunAt.Add(-digestPeriod), Limit: maxDiscussions,
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(d message.Discussion) bool {
		c := v.Channel(d.Channel)
		return c == nil || c.Archived
	})
	topics := make([]readstate.Topic, len(all))
	var channels []channel.ID
	for i, d := range all {
		topics[i] = readstate.Topic{Channel: d.Channel, Key: d.TopicKey}
		channels = append(channels, d.Channel)
	}
	policies, settings, err := s.settingsIn(ctx, run.RealmID, topics, idset.Of(channels...))
	if err != nil {
		return nil, err
	}
	return func(u *user.User) []digestEntry {
		var chosen []digestEntry
		subscribed := v.Subscriptions(u.ID)
		for i, d := range all {
			c := notification.Case{Topic: policies[topics[i]][u.ID], Subscription: settings[d.Channel][u.ID]}
			if !subscribed.Has(d.Channel) || c.Muted() {
				continue
			}
			if chosen = append(chosen, digestEntry{d.Messages, d.Writers, d.Newest}); len(chosen) == maxDigestEntries {
				break
			}
		}
		return chosen
	}, nil
}

// settingsIn returns users' policies for topics, and their notification settings for the topics' channels.
func (s *service) settingsIn(
	ctx context.Context, r realm.ID, topics []readstate.Topic, channels idset.Set[channel.ID],
) (readstate.PoliciesByTopic, notification.SubscriptionsByChannel, error) {
	if len(topics) == 0 {
		return nil, nil, nil
	}
	policies, _, err := s.Policies.Ask(ctx, readstate.TopicPolicies{Realm: r, Topics: topics})
	if err != nil {
		return nil, nil, err
	}
	settings, _, err := s.Subscriptions.Ask(ctx, notification.SubscriptionsTo{Realm: r, Channels: channels})
	return policies, settings, err
}
