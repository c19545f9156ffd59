package presence

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// query selects presence rows.
type query struct {
	counter  int64     // rows with a higher counter
	since    time.Time // rows of users connected at this time or later
	snapshot bool      // whether ctx carries a database snapshot, which may be older than the cache
}

// options holds a client's parameters.
type options struct {
	after  *int64 // the last counter that the client received; nil, 0 or negative if it has received none
	days   *int   // days of history, if after is not set
	modern bool   // list users by ID
}

func (o options) query(now time.Time) *query {
	if o.after != nil && *o.after > 0 {
		return &query{counter: *o.after}
	}
	days := presence.DefaultDays
	if o.days != nil {
		days = *o.days
	}
	return &query{since: presence.Since(now, days)}
}

// response lists the presence of other users. It is the response to a report and a section of /register.
type response struct {
	Presences format  `json:"presences"`
	At        float64 `json:"server_timestamp"`
	Last      int64   `json:"presence_last_update_id"` // to be sent with the next request
}

// respond builds the list of users that the caller can see. Errors: Unauthorized.
func (s *service) respond(ctx context.Context, a kit.Actor, o options, snapshot bool) (*response, error) {
	now := s.Clock.Now()
	res := &response{At: seconds(now), Last: -1}
	if o.after != nil {
		res.Last = *o.after
	}
	q := o.query(now)
	q.snapshot = snapshot
	v, all, err := s.read(ctx, a, q)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		res.Last = max(res.Last, p.counter)
	}
	if o.modern {
		res.Presences = modern(all)
	} else {
		res.Presences = legacy{v, all}
	}
	return res, nil
}

// visibleUser is the presence of a user that the caller can see.
type visibleUser struct {
	presence.Seen
	user    *user.User
	counter int64
}

// read returns the users that match the query and that the caller can see, sorted by ID.
func (s *service) read(ctx context.Context, a kit.Actor, q *query) (*directory.View, []visibleUser, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil || !enabled(v) {
		return v, nil, err
	}
	rows, err := s.query(ctx, a.Realm, q)
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(rows, func(r *row) bool { u := v.User(r.UserID); return u == nil || !u.Active }) {
		// This node's view may be older than the rows. Rows are sent only once, so no user may be omitted.
		if v, err = s.Directory.Verified(ctx, a.Realm); err != nil {
			return nil, nil, err
		}
	}
	all := make([]visibleUser, 0, len(rows))
	for _, r := range rows {
		if u := v.User(r.UserID); u != nil && u.Active && permission.Sees(v, me, u.ID) {
			all = append(all, visibleUser{r.times().Seen(u.Joined), u, r.Counter})
		}
	}
	slices.SortFunc(all, func(a, b visibleUser) int { return cmp.Compare(a.user.ID, b.user.ID) })
	return v, all, nil
}

// section returns the section of /register.
func (s *service) section(ctx context.Context, a kit.Actor, f kit.Fetch) (*response, error) {
	o := options{
		after:  f.PresenceAfter,
		days:   f.PresenceDays,
		modern: f.SlimPresence || f.SimplifiedPresence || f.PresenceAfter != nil,
	}
	return s.respond(ctx, a, o, true)
}

type listRes struct {
	Presences format  `json:"presences"`
	At        float64 `json:"server_timestamp"`
}

// list handles GET /realm/presence.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.respond(ctx, a, options{}, false)
	if err != nil {
		return listRes{}, err
	}
	return listRes{all.Presences, all.At}, nil
}
