package subscribing

import (
	"context"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
)

type unsubscribeReq struct {
	Names      []string    `json:"subscriptions"`
	Principals *principals `json:"principals"`
}

// unsubscribeRes contains a channel name for each pair of user and channel.
type unsubscribeRes struct {
	Removed    []string `json:"removed"`
	NotRemoved []string `json:"not_removed"`
}

func (s *Service) unsubscribe(ctx context.Context, a kit.Actor, in unsubscribeReq) (unsubscribeRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (unsubscribeRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return unsubscribeRes{}, err
		}
		return s.unsubscribeIn(ctx, v, a, in.Names, in.Principals)
	})
}

// unsubscribeIn ends subscriptions in the caller's unit of work. If someone else removes a user from a private channel,
// the user's bots are removed too, because the user has their API keys. Errors: BadRequest.
func (s *Service) unsubscribeIn(
	ctx context.Context,
	v *directory.View,
	a kit.Actor,
	names []string,
	p *principals,
) (unsubscribeRes, error) {
	res := unsubscribeRes{Removed: []string{}, NotRemoved: []string{}}
	if err := s.checkSize(len(names), p); err != nil {
		return res, err
	}
	cs, err := channelsByName(v, a, names)
	if err != nil {
		return res, err
	}
	us, err := resolvePrincipals(v, a, p)
	if err != nil {
		return res, err
	}
	var leaves []channelUsers
	others := us.Minus(user.Set{a.User})
	bots := sync.OnceValue(func() user.Set { return permission.BotsOf(v, others) })
	for _, c := range cs {
		if !access.MayRemove(v, c, a, us) {
			return res, access.ErrInsufficient()
		}
		leaving := us.And(v.Subscribers(c.ID))
		for _, u := range us {
			if leaving.Has(u) {
				res.Removed = append(res.Removed, c.Name)
			} else {
				res.NotRemoved = append(res.NotRemoved, c.Name)
			}
		}
		if c.Private {
			leaving = leaving.Union(bots().And(v.Subscribers(c.ID)))
		}
		if len(leaving) > 0 {
			leaves = append(leaves, channelUsers{c, leaving})
		}
	}
	_, err = s.leave(ctx, v, a.Realm, leaves, false)
	return res, err
}

// channelsByName returns the channels with the given names, each once. Errors: BadRequest, listing the names of all
// channels that a cannot see.
func channelsByName(v *directory.View, a user.Actor, names []string) ([]*channel.Channel, error) {
	var found []*channel.Channel
	var missing []string
	seen := map[channel.ID]bool{}
	for _, name := range names {
		c := v.ChannelByName(name)
		switch {
		case !access.Sees(v, c, a):
			missing = append(missing, name)
		case !seen[c.ID]:
			seen[c.ID] = true
			found = append(found, c)
		}
	}
	if len(missing) > 0 {
		return nil, errs.Bad("Channel(s) (%s) do not exist", strings.Join(missing, ", "))
	}
	return found, nil
}

type patchReq struct {
	Add    []namedReq `json:"add" default:"[]"`
	Delete []string   `json:"delete" default:"[]"`
}

type patchRes struct {
	subscribeRes
	unsubscribeRes
}

// patch handles PATCH /users/me/subscriptions. It makes all of the changes or none.
func (s *Service) patch(ctx context.Context, a kit.Actor, in patchReq) (patchRes, error) {
	if len(in.Add) == 0 && len(in.Delete) == 0 {
		return patchRes{}, errs.Bad("Nothing to do. Specify at least one of \"add\" or \"delete\".")
	}
	sub, err := s.validate(wantedOf(in.Add), nil, creation{Tell: true})
	if err != nil {
		return patchRes{}, err
	}
	sub.fatal = true
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (patchRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return patchRes{}, err
		}
		var res patchRes
		if res.subscribeRes, v, err = s.subscribeIn(ctx, v, a, sub); err != nil {
			return patchRes{}, err
		}
		res.unsubscribeRes, err = s.unsubscribeIn(ctx, v, a, in.Delete, nil)
		return res, err
	})
}
