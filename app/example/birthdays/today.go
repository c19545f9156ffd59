package birthdays

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type celebrating struct {
	birthday
	Active bool `json:"recently_active"`
}

type todayRes struct {
	Birthdays []celebrating `json:"birthdays"`
}

// today handles GET /birthdays/today. If the module presence runs, the result also tells which users have been active.
func (s *service) today(ctx context.Context, a kit.Actor, _ kit.None) (todayRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return todayRes{}, err
	}
	now := s.Clock.Now()
	recent, _, err := s.RecentlyActive.Ask(ctx, user.RecentlyActive{Realm: a.Realm, Since: now.Add(-time.Hour)})
	if err != nil {
		return todayRes{}, err
	}
	res := todayRes{[]celebrating{}}
	for _, b := range visible(v, a.User) {
		if b.onDay(now) {
			res.Birthdays = append(res.Birthdays, celebrating{b, recent.Has(b.UserID)})
		}
	}
	return res, nil
}

type users struct {
	IDs []user.ID `json:"user_ids"`
}

var birthdaysToday = kit.Event[users]("birthdays", "today")

// announce is the job that notifies clients of today's birthdays. It runs once a day, on only one node.
func (s *service) announce(ctx context.Context) error {
	realms, err := s.Realms.Active(ctx)
	for _, r := range realms {
		err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.announceIn(ctx, r) }))
	}
	return err
}

func (s *service) announceIn(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	var u users
	for _, b := range visible(v, 0) {
		if b.onDay(s.Clock.Now()) {
			u.IDs = append(u.IDs, b.UserID)
		}
	}
	if len(u.IDs) == 0 {
		return nil
	}
	if err := s.Log.Append(ctx, birthdaysToday.To(r, event.Everyone(), u)); err != nil {
		return err
	}
	return s.celebrate(ctx, v, u.IDs)
}
