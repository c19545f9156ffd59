package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// periodsTable also names the kind of keys of those whose periods are written.
const periodsTable = "subscription_periods"

// planPeriods notes who received messages of the channels with protected history, and when. Others read nothing that
// is imported. Users and channels are numbers that stand for them in rows.
func (t *task) planPeriods() {
	t.periods = map[int64]map[int64][]importing.Period{}
	for _, r := range t.scan.Rows {
		var c struct {
			ID            int64 `json:"id"`
			Private       bool  `json:"private"`
			HistoryPublic bool  `json:"history_public"`
		}
		if r.Table == channelsTable && json.Unmarshal(r.Line, &c) == nil && c.Private && !c.HistoryPublic {
			t.periods[c.ID] = map[int64][]importing.Period{}
		}
	}
	for _, r := range t.scan.Rows {
		var s struct {
			User    int64 `json:"user_id"`
			Channel int64 `json:"channel_id"`
		}
		if r.Table == subscriptionsTable && json.Unmarshal(r.Line, &s) == nil && t.periods[s.Channel] != nil {
			t.periods[s.Channel][s.User] = nil
		}
	}
	add := func(person, in importing.Key, all []importing.Period) {
		if people := t.periods[t.number(channelsTable, in)]; people != nil {
			u := t.number(usersTable, t.person(person))
			people[u] = append(people[u], all...)
		}
	}
	for _, s := range t.scan.Subscriptions {
		add(s.Person, s.Channel, s.Periods)
	}
	for _, x := range t.scan.Received {
		add(x.Person, x.Channel, x.Periods)
	}
}

// receivers returns who received a message of a channel at a time, or nil if the channel's subscribers did.
func (t *task) receivers(in importing.Key, at time.Time) *user.Set {
	people := t.periods[t.number(channelsTable, in)]
	if in == "" || people == nil {
		return nil
	}
	var us []user.ID
	for u, all := range people {
		if importing.Has(all, at) {
			us = append(us, user.ID(t.ids[usersTable][u]))
		}
	}
	set := idset.Of(us...)
	return &set
}

// writePeriods writes the periods that are not written yet.
func (t *task) writePeriods(ctx context.Context) error {
	known, err := t.Store.All(ctx, t.realm, periodsTable)
	if err != nil {
		return err
	}
	var all []importing.Membership
	var keys []store.Key
	for _, c := range slices.Sorted(maps.Keys(t.periods)) {
		for _, u := range slices.Sorted(maps.Keys(t.periods[c])) {
			here, in := t.ids[usersTable][u], t.ids[channelsTable][c]
			k := importing.Key(fmt.Sprintf("%d/%d", in, here))
			if _, ok := known[k]; ok || here == 0 || in == 0 {
				continue
			}
			all = append(all, importing.Membership{
				User: user.ID(here), Channel: channel.ID(in), Periods: t.periods[c][u],
			})
			keys = append(keys, store.Key{Realm: t.realm, Kind: periodsTable, Key: k})
		}
	}
	for i := 0; i < len(all); i += perBatch {
		n := min(len(all), i+perBatch)
		err := t.Work.Do(ctx, func(ctx context.Context) error {
			if err := t.Messages.Receive(ctx, t.realm, all[i:n]); err != nil {
				return err
			}
			return t.Store.Add(ctx, keys[i:n]...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
