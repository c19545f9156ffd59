// Package traffic counts the messages sent to channels.
//
// A channel's weekly traffic is part of the directory view, so that channel records can be built without I/O. A job
// counts the messages sent since its last run, by day; sending a message costs nothing. Clients are notified when
// is_recently_active changes. They receive the new traffic with the next record of the channel.
package traffic

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock
	Realms    ports.Realms
	Counts    kit.Query[message.ChannelCounts, message.Counted]
	// Active returns the event for a change of a channel's is_recently_active.
	Active func(r realm.ID, c *channel.Channel, active bool) event.Event
}

// Service counts messages and updates the channels' traffic.
type Service struct {
	Needs
	rows store
}

// New returns the service.
func New(n Needs) *Service { return &Service{n, store{n.DB}} }

// Parts returns the contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Tables: []kit.Table{
			kit.NotExported[dayRow]("follows from other tables"),
			kit.NotExported[tallyRow]("follows from other tables"),
		},
		Events: []kit.AnyEvent{trafficChanged.Any()},
		Hooks:  []kit.Hook{kit.On(s.becameActive)},
		Jobs:   []kit.Job{{Name: "traffic", Every: 6 * time.Hour, Timeout: time.Hour, Run: s.count}},
	}
}

// minAge is the minimum age of a counted message. By then all messages with lower IDs have been committed, since no
// transaction takes that long.
const minAge = 5 * time.Minute

// count is the job that counts new messages and updates the channels whose traffic has changed.
func (s *Service) count(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = kit.Tx(ctx, s.Work, s.countBatch); err != nil {
			return err
		}
	}
	err := s.Work.Do(
		ctx,
		func(ctx context.Context) error { return s.rows.ForgetDays(ctx, channel.ActiveSince(s.Clock.Now())) },
	)
	all, failed := s.Realms.Active(ctx)
	err = errors.Join(err, failed)
	for some := range slices.Chunk(all, realmsAtOnce) {
		due, failed := s.changedRealms(ctx, some)
		err = errors.Join(err, failed)
		for _, r := range due {
			err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.updateRealm(ctx, r) }))
		}
	}
	return err
}

// realmsAtOnce is the maximum number of realms per statement.
const realmsAtOnce = 20

// changedRealms returns the realms with channels whose traffic has changed. It reads only rows, so that the views of
// most realms need not be loaded.
func (s *Service) changedRealms(ctx context.Context, rs []realm.ID) ([]realm.ID, error) {
	now := s.Clock.Now()
	sent, err := s.rows.Activity(ctx, rs, channel.ActiveSince(now), channel.TrafficSince(now))
	if err != nil {
		return nil, err
	}
	all, err := s.rows.Channels(ctx, rs)
	if err != nil {
		return nil, err
	}
	var due []realm.ID
	for i := range all {
		c := &all[i]
		if t := newTraffic(c.ID, c.Weekly, c.Quiet, c.CreatedAt, now, sent[c.ID]); t.unchanged() {
			continue
		}
		due = append(due, c.RealmID)
	}
	return idset.Of(due...), nil
}

// traffic is a channel's old and new traffic.
type traffic struct{ directory.Traffic }

func newTraffic(id channel.ID, weekly *int, quiet bool, created, now time.Time, a activity) traffic {
	return traffic{directory.Traffic{
		Channel: id, Old: weekly, WasQuiet: quiet, New: channel.Weekly(created, now, a.Messages),
		Quiet: channel.IsQuiet(created, now, a.Last),
	}}
}

// unchanged reports whether the old and new traffic are equal.
func (t traffic) unchanged() bool { return equal(t.Old, t.New) && t.Quiet == t.WasQuiet }

// countBatch counts a batch of messages and reports whether there may be more.
func (s *Service) countBatch(ctx context.Context) (bool, error) {
	now := s.Clock.Now()
	from, err := s.rows.LastCounted(ctx)
	if err != nil {
		return false, err
	}
	since := time.Unix(int64(channel.ActiveSince(now))*24*60*60, 0).UTC()
	m, _, err := s.Counts.Ask(ctx, message.ChannelCounts{After: from, Since: since, Before: now.Add(-minAge)})
	if err != nil || m.Upto <= from {
		return false, err
	}
	return true, s.rows.AddCounts(ctx, m.Sent, m.Upto)
}

// updateRealm updates the channels of a realm whose traffic has changed.
func (s *Service) updateRealm(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	sent, err := s.rows.Activity(ctx, []realm.ID{r}, channel.ActiveSince(now), channel.TrafficSince(now))
	if err != nil {
		return err
	}
	var all []directory.Traffic
	var events []event.Event
	for c := range v.Channels() {
		t := newTraffic(c.ID, c.Weekly, c.Quiet, c.Created, now, sent[c.ID])
		if t.unchanged() {
			continue
		}
		all = append(all, t.Traffic)
		if t.Quiet != t.WasQuiet {
			events = append(events, s.Active(r, c, !t.Quiet))
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := s.rows.SetTraffic(ctx, r, all); err != nil {
		return err
	}
	if len(events) == 0 { // the change needs a log entry even if no client is notified
		events = append(events, trafficChanged.To(r, event.None(), kit.None{}))
	}
	events[0] = events[0].Changing(directory.Change{Traffic: all})
	return s.Log.Append(ctx, events...)
}

var trafficChanged = kit.Event[kit.None]("stream", "traffic").Internal()

// becameActive marks a quiet channel as recently active when a message is sent to it.
func (s *Service) becameActive(ctx context.Context, m *channel.BecameActive) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	c := v.Channel(m.Channel)
	if c == nil || !c.Quiet {
		return nil
	}
	t := []directory.Traffic{{Channel: c.ID, Old: c.Weekly, New: c.Weekly, WasQuiet: true}}
	if err := s.rows.SetTraffic(ctx, m.Realm, t); err != nil {
		return err
	}
	return s.Log.Append(ctx, s.Active(m.Realm, c, true).Changing(directory.Change{Traffic: t}))
}

func equal(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
