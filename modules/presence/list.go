package presence

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// query says of whom somebody wants to hear, and in which format.
type query struct {
	after  *int64 // those who changed after this counter, if it is one
	days   *int   // otherwise those who were connected within so many days
	modern bool
}

// answer is what a report, and the snapshot of /register, tell of others.
type answer struct {
	Presences any     `json:"presences"`
	At        float64 `json:"server_timestamp"`
	Last      int64   `json:"presence_last_update_id"` // what to ask with the next time
}

// answer gives what the caller may know. Errors: Unauthorized.
func (s *service) answer(ctx context.Context, a kit.Actor, q query) (*answer, error) {
	res := &answer{At: seconds(s.Clock.Now()), Last: -1}
	if q.after != nil {
		res.Last = *q.after
	}
	v, all, err := s.read(ctx, a, q)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		res.Last = max(res.Last, p.counter)
	}
	if q.modern {
		res.Presences = modern(all)
	} else {
		res.Presences = legacy{v, all}
	}
	return res, nil
}

// person is somebody whom the reader is told of.
type person struct {
	presence.Seen
	user    *user.User
	counter int64
}

// read gives those whom the query asks for, as far as the caller may see them, by id.
func (s *service) read(ctx context.Context, a kit.Actor, q query) (*directory.View, []person, error) {
	v, me, err := s.caller(ctx, a)
	if err != nil || !enabled(v) {
		return v, nil, err
	}
	var rows []*row
	if q.after != nil && *q.after > 0 {
		rows, err = s.rows.After(ctx, a.Realm, *q.after)
	} else {
		days := presence.DefaultDays
		if q.days != nil {
			days = *q.days
		}
		rows, err = s.rows.Since(ctx, a.Realm, presence.Since(s.Clock.Now(), days))
	}
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(rows, func(r *row) bool { u := v.User(r.UserID); return u == nil || !u.Active }) {
		// Another node may know them by now. Nobody may be left out of whom the rows tell: they are not given again.
		if v, err = s.Directory.Verified(ctx, a.Realm); err != nil {
			return nil, nil, err
		}
	}
	all := make([]person, 0, len(rows))
	for _, r := range rows {
		if u := v.User(r.UserID); u != nil && u.Active && permission.Sees(v, me, u.ID) {
			all = append(all, person{r.times().Seen(u.Joined), u, r.Counter})
		}
	}
	slices.SortFunc(all, func(a, b person) int { return cmp.Compare(a.user.ID, b.user.ID) })
	return v, all, nil
}

// section is the part of /register (events-and-register.md §4.7).
func (s *service) section(ctx context.Context, a kit.Actor, f kit.Fetch) (*answer, error) {
	return s.answer(ctx, a, query{after: f.PresenceAfter, days: f.PresenceDays, modern: f.SlimPresence || f.SimplifiedPresence || f.PresenceAfter != nil})
}

type listRes struct {
	Presences any     `json:"presences"`
	At        float64 `json:"server_timestamp"`
}

// list is GET /realm/presence.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.answer(ctx, a, query{})
	if err != nil {
		return listRes{}, err
	}
	return listRes{all.Presences, all.At}, nil
}
