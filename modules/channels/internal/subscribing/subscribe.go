package subscribing

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
)

// wanted is a channel named in a request to subscribe to it.
type wanted struct {
	Name        string
	Description string // for a new channel
	Color       *string
	bad         error // the reason why a new channel cannot have this name; nil: valid
}

// principals lists users either by ID or by API email address.
type principals struct {
	IDs    []user.ID
	Emails []string
}

// UnmarshalJSON implements [json.Unmarshaler]. Errors: BadRequest.
func (p *principals) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &p.IDs) == nil {
		return nil
	}
	p.IDs = nil
	if json.Unmarshal(b, &p.Emails) != nil {
		return errs.Bad("principals is not a list of user IDs or of email addresses")
	}
	return nil
}

func (p *principals) count() int {
	if p == nil {
		return 0
	}
	return len(p.IDs) + len(p.Emails)
}

type subscribeReq struct {
	Subscriptions []namedReq  `json:"subscriptions"`
	Principals    *principals `json:"principals"`
	Fatal         bool        `json:"authorization_errors_fatal" default:"true"`
	creation
}

// subscribeRes contains channel names by user ID.
type subscribeRes struct {
	Subscribed   map[string][]string `json:"subscribed"`
	Already      map[string][]string `json:"already_subscribed"`
	Unauthorized *[]string           `json:"unauthorized,omitempty"`
	MessagesSent *bool               `json:"new_subscription_messages_sent,omitempty"`
}

// maxNotified is the maximum number of new subscribers that are notified by direct message. If a request subscribes
// more users, none are (max_bulk_new_subscription_messages).
const maxNotified = 100

// request holds a validated request to subscribe users. Checks that need the view come later.
type request struct {
	wanted     []wanted // with normalized names
	principals *principals
	spec       spec
	invalid    error // the reason why no channel can be created with these parameters; nil: valid
	fatal      bool
	notify     bool
}

func (s *Service) subscribe(ctx context.Context, a kit.Actor, in subscribeReq) (subscribeRes, error) {
	sub, err := s.validate(wantedOf(in.Subscriptions), in.Principals, in.creation)
	if err != nil {
		return subscribeRes{}, err
	}
	sub.fatal = in.Fatal
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (subscribeRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return subscribeRes{}, err
		}
		res, _, err := s.subscribeIn(ctx, v, a, sub)
		return res, err
	})
}

// validate checks a request without the view. Invalid settings and names are recorded in the result, since they matter
// only if a channel is created. Errors: BadRequest.
func (s *Service) validate(all []wanted, p *principals, c creation) (request, error) {
	if err := s.checkSize(len(all), p); err != nil {
		return request{}, err
	}
	out := request{principals: p, notify: c.Tell}
	var err error
	out.spec, out.invalid = c.spec()
	for _, w := range all {
		w.Name = strings.TrimSpace(w.Name)
		_, w.bad = channel.CheckName(w.Name)
		if w.Description, err = channel.CheckDescription(w.Description); err != nil {
			return request{}, err
		}
		if w.Color != nil {
			color, err := channel.ParseColor(*w.Color)
			if err != nil {
				return request{}, err
			}
			w.Color = &color
		}
		out.wanted = append(out.wanted, w)
	}
	return out, nil
}

// checkSize checks that a request does not name too many channels or users. Errors: BadRequest.
func (s *Service) checkSize(channels int, p *principals) error {
	l := s.Limits
	if channels > l.MaxChannels || p.count() > l.MaxPeople || channels*max(p.count(), 1) > l.MaxSubscriptions {
		return errs.Bad("Too many subscriptions in one request (limits: %d channels, %d users, %d subscriptions).",
			l.MaxChannels, l.MaxPeople, l.MaxSubscriptions)
	}
	return nil
}

// subscribeIn subscribes users in the caller's unit of work and also returns the resulting view.
func (s *Service) subscribeIn(
	ctx context.Context,
	v *directory.View,
	a kit.Actor,
	sub request,
) (subscribeRes, *directory.View, error) {
	res := subscribeRes{Subscribed: map[string][]string{}, Already: map[string][]string{}}
	plan, err := s.plan(ctx, v, a, sub)
	if err != nil {
		return res, nil, err
	}
	if !sub.fatal {
		res.Unauthorized = &plan.unauthorized
	}
	if err := s.Insert(ctx, a.Realm, v.NameKey, plan.created...); err != nil {
		return res, nil, err
	}
	j := join{by: a, created: plan.created, announce: sub.spec.announce, colors: map[channel.ID]string{}}
	added := channel.Added{Realm: a.Realm, By: a, To: map[user.ID][]channel.ID{}}
	var fresh user.Set
	for i, c := range plan.channels {
		now := plan.people.Minus(v.Subscribers(c.ID))
		for _, u := range plan.people {
			to := res.Subscribed
			if !now.Has(u) {
				to = res.Already
			}
			key := strconv.FormatInt(int64(u), 10)
			to[key] = append(to[key], c.Name)
		}
		if color := plan.colors[i]; color != "" {
			j.colors[c.ID] = color
		}
		if len(now) == 0 {
			continue
		}
		fresh = fresh.Union(now)
		j.joins = append(j.joins, channelUsers{c, now})
		if v.Channel(c.ID) == nil {
			continue
		}
		for _, u := range now {
			if who := v.User(u); u != a.User && !who.IsBot() {
				added.To[u] = append(added.To[u], c.ID)
			}
		}
	}
	for _, ids := range added.To {
		slices.Sort(ids)
	}
	after, err := s.join(ctx, v, j)
	if err != nil || !sub.notify {
		return res, after, err
	}
	sent := len(fresh) <= maxNotified
	res.MessagesSent = &sent
	if !sent || len(added.To) == 0 {
		return res, after, nil
	}
	return res, after, s.Hooks.Run(ctx, &added)
}

// plan holds the changes that a request will make.
type plan struct {
	channels     []*channel.Channel // all requested channels
	colors       []string           // the color chosen for each channel, or ""
	created      []*channel.Channel // the channels to be created
	unauthorized []string
	people       user.Set
}

// plan makes all checks that need the view, in the documented order, and writes nothing. Errors: BadRequest.
func (s *Service) plan(ctx context.Context, v *directory.View, a kit.Actor, sub request) (plan, error) {
	p := plan{unauthorized: []string{}}
	if u := v.User(a.User); len(sub.wanted) > 0 && !a.System && (u == nil || u.IsGuest()) {
		return p, errs.Bad("Not allowed for guest users")
	}
	var old []*channel.Channel
	mayCreate, have := false, existing{}
	seen, named := map[channel.ID]bool{}, map[string]bool{} // detect duplicates
	for _, w := range sub.wanted {
		c := v.ChannelByName(w.Name)
		if w.bad != nil && !access.Sees(v, c, a) {
			return p, w.bad
		}
		key := v.NameKey(w.Name)
		if c != nil && seen[c.ID] || c == nil && named[key] {
			continue
		}
		if c != nil {
			seen[c.ID] = true
		} else {
			named[key] = true
		}
		if !mayCreate && !access.Sees(v, c, a) { // must precede errors that reveal whether the channel exists
			if err := s.checkCreate(ctx, v, a, sub); err != nil {
				return p, err
			}
			mayCreate = true
		}
		switch {
		case c == nil:
			if len(p.created) == s.Limits.MaxNew {
				return p, errs.Bad("Too many new channels in one request (limit: %d).", s.Limits.MaxNew)
			}
			pairs := len(sub.wanted) * max(sub.principals.count(), 1)
			if pairs+(len(p.created)+1)*sub.spec.named() > s.Limits.MaxSubscriptions { // stored per channel
				return p, errs.Bad(
					"The permissions of the new channels name too many users (limit: %d, all channels together). Name a user group.",
					s.Limits.MaxSubscriptions,
				)
			}
			if len(p.created) == 0 {
				have = s.count(v, a)
			}
			if err := s.Limits.admit(have, len(p.created)+1); err != nil {
				return p, err
			}
			var err error
			if c, err = s.draft(ctx, v, a, sub.spec, w.Name, w.Description); err != nil {
				return p, err
			}
			p.created = append(p.created, c)
		case !access.Reads(v, c, a):
			p.unauthorized = append(p.unauthorized, w.Name)
			continue
		default:
			old = append(old, c)
		}
		color := ""
		if w.Color != nil {
			color = *w.Color
		}
		p.channels, p.colors = append(p.channels, c), append(p.colors, color)
	}
	if len(p.unauthorized) > 0 && sub.fatal {
		return p, errs.Bad("Unable to access channel (%s).", p.unauthorized[0])
	}
	var err error
	if p.people, err = resolvePrincipals(v, a, sub.principals); err != nil {
		return p, err
	}
	if len(p.people) > 0 && !slices.Equal(p.people, user.Set{a.User}) {
		for _, c := range old {
			if !access.MayAdd(v, c, a) {
				return p, access.ErrInsufficient()
			}
		}
	}
	return p, nil
}

// checkCreate checks that the parameters of new channels are valid and that a may create such channels. Errors:
// BadRequest, UnauthorizedPrincipal, SystemGroupRequired.
func (s *Service) checkCreate(ctx context.Context, v *directory.View, a kit.Actor, sub request) error {
	if sub.invalid != nil {
		return sub.invalid
	}
	if sub.spec.folder != nil {
		if err := s.Folders.Check(ctx, a.Realm, *sub.spec.folder); err != nil {
			return err
		}
	}
	return sub.spec.check(v, a, s.Limits.WebPublic)
}

// resolvePrincipals returns the users listed in p, or the caller if p is empty. Errors: BadRequest, the same for
// missing, deactivated and hidden users.
func resolvePrincipals(v *directory.View, a kit.Actor, p *principals) (user.Set, error) {
	if p.count() == 0 {
		if a.User == 0 {
			return nil, nil
		}
		return user.Set{a.User}, nil
	}
	me := v.User(a.User)
	ids := make([]user.ID, 0, p.count())
	for _, id := range p.IDs {
		if !canSubscribe(v.User(id)) || !a.System && !permission.Sees(v, me, id) {
			return nil, errs.Bad("No such user")
		}
		ids = append(ids, id)
	}
	for _, email := range p.Emails {
		u := permission.ByEmail(v, me, email)
		if !canSubscribe(u) {
			return nil, errs.Bad("No such user")
		}
		ids = append(ids, u.ID)
	}
	return idset.Of(ids...), nil
}

// canSubscribe reports whether u can be a subscriber.
func canSubscribe(u *user.User) bool { return u != nil && u.Active && !u.System }
