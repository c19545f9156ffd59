package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/channels/internal/subscribing"
	"github.com/stoachat/stoa/modules/kit"
)

type mineReq struct {
	Subscribers *string `json:"include_subscribers"`
}

func (s *service) mine(ctx context.Context, a kit.Actor, in mineReq) (kit.Object, error) {
	var want event.SubscriberList
	if text := subscribing.Unquoted(in.Subscribers); text != nil {
		switch *text {
		case "false":
		case "true":
			want = event.AllSubscribers
		case "partial", `"partial"`:
			want = event.PartialSubscribers
		default:
			return nil, errs.Bad("Invalid include_subscribers")
		}
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	settings, err := s.subscribing.Settings(ctx, a.User)
	if err != nil {
		return nil, err
	}
	lists, err := s.selectSubscribers(ctx, v, a.Realm, want)
	if err != nil {
		return nil, err
	}
	var shown []*channel.Channel
	for _, id := range v.Subscriptions(a.User) {
		if c := v.Channel(id); c != nil && !c.Archived {
			shown = append(shown, c)
		}
	}
	sortByName(shown)
	res := &list{v: v, lists: &lists}
	for _, c := range shown {
		p := settings[c.ID].WithColor()
		res.all = append(res.all, entry{Channel: c, own: &p})
	}
	return kit.Object{"subscriptions": kit.Compressible(res)}, nil
}
