package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/kit"
)

// listReq selects the channels that the caller can see and that match at least one of the parameters.
type listReq struct {
	Public          bool `json:"include_public" default:"true"`
	WebPublic       bool `json:"include_web_public" default:"false"`
	Subscribed      bool `json:"include_subscribed" default:"true"`
	ExcludeArchived bool `json:"exclude_archived" default:"true"`
	All             bool `json:"include_all" default:"false"`
	AllActive       bool `json:"include_all_active" default:"false"` // the older name of include_all
	Default         bool `json:"include_default" default:"false"`
	OwnerSubscribed bool `json:"include_owner_subscribed" default:"false"`
	Readable        bool `json:"include_can_access_content" default:"false"`
}

func (s *service) list(ctx context.Context, a kit.Actor, in listReq) (kit.Object, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	var shown []*channel.Channel
	for c := range v.Channels() {
		if (!c.Archived || !in.ExcludeArchived) && in.wants(v, c, a) {
			shown = append(shown, c)
		}
	}
	sortByName(shown)
	res := &list{v: v}
	for _, c := range shown {
		res.all = append(res.all, entry{Channel: c, isDefault: in.Default})
	}
	return kit.Object{"streams": kit.Compressible(res)}, nil
}

// wants reports whether the response contains c. The caller must be able to see c, except that a bot may list all
// channels to which its owner is subscribed.
func (in listReq) wants(v *directory.View, c *channel.Channel, a user.Actor) bool {
	me := v.User(a.User)
	if in.OwnerSubscribed && me != nil && me.IsBot() && me.BotOwner != 0 && v.Subscribed(me.BotOwner, c.ID) {
		return true
	}
	if !access.Sees(v, c, a) {
		return false
	}
	return in.All || in.AllActive || in.Readable && access.Reads(v, c, a) ||
		in.Public && !c.Private && me != nil && !me.IsGuest() ||
		in.WebPublic && c.WebPublic ||
		in.Subscribed && v.Subscribed(a.User, c.ID)
}

type channelReq struct {
	ID channel.ID `json:"stream_id"`
}

// visibleChannel returns a channel that a can see. Errors: BadRequest, the same for missing and hidden channels.
func (s *service) visibleChannel(
	ctx context.Context,
	a kit.Actor,
	id channel.ID,
) (*directory.View, *channel.Channel, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	c := v.Channel(id)
	if !access.Sees(v, c, a) {
		return nil, nil, channel.Invalid()
	}
	return v, c, nil
}

type getRes struct {
	Stream channel.Record `json:"stream"`
}

func (s *service) get(ctx context.Context, a kit.Actor, in channelReq) (getRes, error) {
	v, c, err := s.visibleChannel(ctx, a, in.ID)
	if err != nil {
		return getRes{}, err
	}
	return getRes{eventtype.NewRecord(v, c)}, nil
}

type membersRes struct {
	Subscribers []user.ID `json:"subscribers"`
}

func (s *service) members(ctx context.Context, a kit.Actor, in channelReq) (membersRes, error) {
	v, c, err := s.visibleChannel(ctx, a, in.ID)
	if err != nil {
		return membersRes{}, err
	}
	if !access.SeesSubscribers(v, c, a) {
		return membersRes{}, errs.Bad("Unable to retrieve subscribers for this channel")
	}
	return membersRes{append([]user.ID{}, v.Subscribers(c.ID)...)}, nil
}

type idReq struct {
	Name string `json:"stream"`
}

type idRes struct {
	ID channel.ID `json:"stream_id"`
}

func (s *service) id(ctx context.Context, a kit.Actor, in idReq) (idRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return idRes{}, err
	}
	c := v.ChannelByName(in.Name)
	if !access.Reads(v, c, a) {
		return idRes{}, errs.Bad("Invalid channel name '%s'", in.Name)
	}
	return idRes{c.ID}, nil
}

type subscribedReq struct {
	User    user.ID    `json:"user_id"`
	Channel channel.ID `json:"stream_id"`
}

type subscribedRes struct {
	Subscribed bool `json:"is_subscribed"`
}

func (s *service) subscribed(ctx context.Context, a kit.Actor, in subscribedReq) (subscribedRes, error) {
	v, c, err := s.visibleChannel(ctx, a, in.Channel)
	if err != nil {
		return subscribedRes{}, err
	}
	if err := checkVisible(v, a, in.User); err != nil {
		return subscribedRes{}, err
	}
	return subscribedRes{v.Subscribed(in.User, c.ID)}, nil
}

// checkVisible checks that a can see a user. Errors: BadRequest, the same for missing and hidden users.
func checkVisible(v *directory.View, a kit.Actor, id user.ID) error {
	if u := v.User(id); u == nil || !a.System && !permission.Sees(v, v.User(a.User), id) {
		return errs.Bad("No such user")
	}
	return nil
}

type ofUserReq struct {
	User user.ID `json:"user_id"`
}

type ofUserRes struct {
	Channels []channel.ID `json:"subscribed_channel_ids"`
}

func (s *service) ofUser(ctx context.Context, a kit.Actor, in ofUserReq) (ofUserRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return ofUserRes{}, err
	}
	if err := checkVisible(v, a, in.User); err != nil {
		return ofUserRes{}, err
	}
	res := ofUserRes{[]channel.ID{}}
	for _, id := range v.Subscriptions(in.User) {
		if access.Sees(v, v.Channel(id), a) {
			res.Channels = append(res.Channels, id)
		}
	}
	return res, nil
}
