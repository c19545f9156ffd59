package bots

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// defaults holds a bot's defaults as seen by a user. Channels that the user cannot see are nil.
type defaults struct {
	Sends     *string `json:"default_sending_stream"`
	Listens   *string `json:"default_events_register_stream"`
	AllPublic bool    `json:"default_all_public_streams"`
}

func defaultsOf(v *directory.View, reader *user.User, id user.ID) defaults {
	b := bot.In(v, id)
	return defaults{nameOf(v, reader, b.Sends), nameOf(v, reader, b.Listens), b.AllPublic}
}

func nameOf(v *directory.View, reader *user.User, id channel.ID) *string {
	c := v.Channel(id)
	if !permission.SeesChannel(v, c, reader) {
		return nil
	}
	return &c.Name
}

// record is a bot as sent to its owner and administrators.
type record struct {
	UserID user.ID `json:"user_id"`
	defaults
	Services []outgoing `json:"services"`
}

// config answers bot.ConfigOf.
func (s *service) config(ctx context.Context, q bot.ConfigOf) (map[string]string, error) {
	return s.store.Config(ctx, q.Bot)
}

// outgoing is the endpoint of an outgoing webhook bot, as sent to clients. Some clients fail on additional keys.
type outgoing struct {
	URL       string        `json:"base_url"`
	Interface bot.Interface `json:"interface"`
	Token     string        `json:"token"`
}

// services returns a bot's endpoint as sent to clients: a list with at most one element.
func services(s *bot.Service) []outgoing {
	if s == nil {
		return []outgoing{}
	}
	return []outgoing{{s.URL, s.Interface, s.Token}}
}

// loadServices returns the endpoints of the given bots, or of all bots of the realm if ids is nil, with decrypted
// tokens. A token that cannot be decrypted is "".
func (s *service) loadServices(ctx context.Context, r realm.ID, ids []user.ID) (map[user.ID]*bot.Service, error) {
	all, err := s.store.Services(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	for id, x := range all {
		token, err := s.Sealer.Open(purpose(id), x.Token)
		if err != nil && !errs.Is(err, errs.NotFound) {
			s.Logger.Warn("the token of an outgoing webhook cannot be decrypted", "bot", id, "error", err)
		}
		x.Token = token
	}
	return all, nil
}

// service answers bot.ServiceOf.
func (s *service) service(ctx context.Context, q bot.ServiceOf) (*bot.Service, error) {
	all, err := s.loadServices(ctx, q.Realm, []user.ID{q.Bot})
	return all[q.Bot], err
}

func purpose(id user.ID) string { return "token of bot " + strconv.FormatInt(int64(id), 10) }

type section struct {
	Bots []record `json:"realm_bots"`
}

// section returns the bots that the caller manages, including deactivated bots.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (section, error) {
	out := section{Bots: []record{}}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return out, err
	}
	for u := range v.Users() {
		if permission.ManagesBot(me, u) {
			out.Bots = append(out.Bots, record{UserID: u.ID, defaults: defaultsOf(v, me, u.ID)})
		}
	}
	if len(out.Bots) == 0 {
		return out, nil
	}
	var ids []user.ID // nil: all bots of the realm, which administrators manage
	if !me.IsAdmin() {
		for _, b := range out.Bots {
			ids = append(ids, b.UserID)
		}
	}
	all, err := s.loadServices(ctx, a.Realm, ids)
	for i := range out.Bots {
		out.Bots[i].Services = services(all[out.Bots[i].UserID])
	}
	return out, err
}

// managedBot returns the view, the caller, and a bot that the caller has permission to change. Errors: BadRequest,
// UnauthorizedPrincipal, Unauthorized.
func (s *service) managedBot(
	ctx context.Context, a kit.Actor, id user.ID,
) (v *directory.View, me, b *user.User, err error) {
	if v, me, err = kit.Caller(ctx, s.Directory, a); err != nil {
		return nil, nil, nil, err
	}
	b = v.User(id)
	return v, me, b, permission.CheckManagesBot(me, b)
}
