package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
)

type createReq struct {
	Name        string    `json:"name"`
	Description string    `json:"description" default:""`
	Subscribers []user.ID `json:"subscribers"`
	creation
}

type createRes struct {
	ID channel.ID `json:"id"`
}

// create handles POST /channels/create. Unlike subscribe, it returns an error if the name is in use.
func (s *Service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	id, err := s.createWith(ctx, a, wanted{Name: in.Name, Description: in.Description}, in.Subscribers, in.creation)
	return createRes{id}, err
}

func (s *Service) createWith(
	ctx context.Context,
	a user.Actor,
	w wanted,
	subscribers []user.ID,
	how creation,
) (channel.ID, error) {
	sub, err := s.validate([]wanted{w}, &principals{IDs: subscribers}, how)
	if err != nil {
		return 0, err
	}
	if sub.invalid != nil {
		return 0, sub.invalid
	}
	if w = sub.wanted[0]; w.bad != nil {
		return 0, w.bad
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (channel.ID, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return 0, err
		}
		if err := sub.spec.check(v, a, s.Limits.WebPublic); err != nil { // the next error reveals names in use
			return 0, err
		}
		if v.ChannelByName(w.Name) != nil {
			return 0, access.ErrNameInUse(w.Name)
		}
		var us user.Set
		if len(subscribers) > 0 {
			if us, err = resolvePrincipals(v, a, sub.principals); err != nil {
				return 0, err
			}
		}
		if err := s.Limits.admit(s.count(v, a), 1); err != nil {
			return 0, err
		}
		c, err := s.draft(ctx, v, a, sub.spec, w.Name, w.Description)
		if err != nil {
			return 0, err
		}
		if err := s.Insert(ctx, a.Realm, v.NameKey, c); err != nil {
			return 0, err
		}
		j := join{by: a, created: []*channel.Channel{c}, announce: how.Announce}
		if len(us) > 0 {
			j.joins = []channelUsers{{c, us}}
		}
		_, err = s.join(ctx, v, j)
		return c.ID, err
	})
}

// missingSubscriptions returns, per channel, the users of us who are not subscribed yet. Errors: BadRequest if a
// channel does not exist.
func missingSubscriptions(v *directory.View, cs []channel.ID, us user.Set) ([]channelUsers, error) {
	var joins []channelUsers
	for _, id := range cs {
		c := v.Channel(id)
		if c == nil {
			return nil, channel.Invalid()
		}
		if now := us.Minus(v.Subscribers(id)); len(now) > 0 {
			joins = append(joins, channelUsers{c, now})
		}
	}
	return joins, nil
}
