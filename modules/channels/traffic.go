package channels

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// How much is sent to a channel is a shared fact, so that records are made without I/O. It is counted from the messages
// that have come since the last time, by days; nothing is counted when a message is sent. Clients are told of
// is_recently_active, and find the traffic with the next record that they are given.

// settled is how long a message's id may be known before those with lower ids are: no transaction takes so long.
const settled = 5 * time.Minute

// traffic is the job that counts what was sent, and changes what has become another number.
func (s *service) traffic(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = kit.Tx(ctx, s.Work, s.tally); err != nil {
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
		due, failed := s.unsettled(ctx, some)
		err = errors.Join(err, failed)
		for _, r := range due {
			err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.settle(ctx, r) }))
		}
	}
	return err
}

// realmsAtOnce is of how many realms the channels are looked at together.
const realmsAtOnce = 20

// unsettled gives those of the realms of which some channel has become another number, from rows alone: the facts of
// most realms need not be loaded.
func (s *service) unsettled(ctx context.Context, rs []realm.ID) ([]realm.ID, error) {
	now := s.Clock.Now()
	sent, err := s.rows.Activity(ctx, rs, channel.ActiveSince(now), channel.TrafficSince(now))
	if err != nil {
		return nil, err
	}
	all, err := s.rows.Told(ctx, rs)
	if err != nil {
		return nil, err
	}
	var due []realm.ID
	for i := range all {
		c := &all[i]
		if t := newTraffic(c.ID, c.Weekly, c.Quiet, c.CreatedAt, now, sent[c.ID]); t.settled() {
			continue
		}
		due = append(due, c.RealmID)
	}
	return idset.Of(due...), nil
}

// traffic is what becomes of a channel's numbers.
type traffic struct{ directory.Traffic }

func newTraffic(id channel.ID, weekly *int, quiet bool, created, now time.Time, a activity) traffic {
	return traffic{directory.Traffic{
		Channel: id, Old: weekly, WasQuiet: quiet, New: channel.Weekly(created, now, a.Messages), Quiet: channel.IsQuiet(created, now, a.Last),
	}}
}

// settled tells whether nothing has changed.
func (t traffic) settled() bool { return equal(t.Old, t.New) && t.Quiet == t.WasQuiet }

// tally counts some of the messages that have not been counted, and tells whether there may be more.
func (s *service) tally(ctx context.Context) (bool, error) {
	now := s.Clock.Now()
	from, err := s.rows.Tallied(ctx)
	if err != nil {
		return false, err
	}
	since := time.Unix(int64(channel.ActiveSince(now))*24*60*60, 0).UTC()
	m := &message.Tally{After: from, Since: since, Before: now.Add(-settled)}
	if err := s.Hooks.Run(ctx, m); err != nil || m.Upto <= from { // without messages nobody answers
		return false, err
	}
	return true, s.rows.Tally(ctx, m.Sent, m.Upto)
}

// settle changes what of the channels of a realm has become another number.
func (s *service) settle(ctx context.Context, r realm.ID) error {
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
		if t.settled() {
			continue
		}
		all = append(all, t.Traffic)
		if t.Quiet != t.WasQuiet {
			events = append(events, tellActive(r, c, !t.Quiet))
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := s.rows.SetTraffic(ctx, r, all); err != nil {
		return err
	}
	if len(events) == 0 { // nobody is told
		events = append(events, trafficChanged.To(r, event.None(), kit.None{}))
	}
	events[0] = events[0].Changing(directory.Change{Traffic: all})
	return s.Log.Append(ctx, events...)
}

var trafficChanged = kit.Event[kit.None]("stream", "traffic")

func tellActive(r realm.ID, c *channel.Channel, active bool) event.Event {
	w := updatedWire{ID: c.ID, Name: c.Name, Property: "is_recently_active", Value: active}
	return streamUpdate.To(r, event.Knowing(c.ID), updated{w, only(c)})
}

// woken notes at once that a channel is recently active again.
func (s *service) woken(ctx context.Context, m *channel.BecameActive) error {
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
	return s.Log.Append(ctx, tellActive(m.Realm, c, true).Changing(directory.Change{Traffic: t}))
}
