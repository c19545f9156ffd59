package bots

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// plain is a string parameter that clients send either as raw text or as a JSON string.
type plain string

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *plain) UnmarshalText(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	*p = plain(s)
	return nil
}

type createReq struct {
	FullName  string            `json:"full_name"`
	ShortName string            `json:"short_name"`
	Type      user.BotType      `json:"bot_type" default:"1"`
	URL       plain             `json:"payload_url" default:""`
	Interface bot.Interface     `json:"interface_type" default:"1"`
	Service   string            `json:"service_name" default:""`
	Config    map[string]string `json:"config_data" default:"{}"`
	Sends     string            `json:"default_sending_stream" default:""`
	Listens   string            `json:"default_events_register_stream" default:""`
	AllPublic bool              `json:"default_all_public_streams" default:"false"`
	File      *kit.File         `file:"avatar"`
}

type createRes struct {
	UserID user.ID `json:"user_id"`
	Key    string  `json:"api_key"`
	Avatar *string `json:"avatar_url"`
	defaults
}

// create handles POST /bots. Errors: BadRequest, BadImage.
func (s *service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	if err := bot.CheckType(in.Type); err != nil {
		return createRes{}, err
	}
	if err := bot.CheckConfig(in.Config); err != nil {
		return createRes{}, err
	}
	have := setup{config: in.Config}
	var err error
	if have.service, err = bot.CheckService(in.Type, in.Service, string(in.URL), in.Interface); err != nil {
		return createRes{}, err
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return createRes{}, err
	}
	if err := s.checkCreate(v, me, in.Type); err != nil {
		return createRes{}, err
	}
	show, err := s.storeAvatar(ctx, a, in.File)
	if err != nil {
		return createRes{}, err
	}
	res, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (createRes, error) {
		res, err := s.createBot(ctx, a, in, have)
		if err != nil {
			return res, err
		}
		return res, show(ctx, res.UserID)
	})
	if err != nil {
		return createRes{}, err
	}
	v, me, err = kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return createRes{}, err
	}
	res.Avatar, res.defaults = permission.AvatarURL(v, v.User(res.UserID), false), defaultsOf(v, me, res.UserID)
	return res, nil
}

// createBot creates the bot within the unit of work.
func (s *service) createBot(ctx context.Context, a kit.Actor, in createReq, have setup) (res createRes, err error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return res, err
	}
	if err := s.checkCreate(v, me, in.Type); err != nil {
		return res, err
	}
	email, err := bot.Email(in.ShortName, v.Realm().MailDomain)
	if err != nil {
		return res, err
	}
	own := bot.Bot{AllPublic: in.AllPublic}
	if own.Sends, err = channelNamed(v, me, me, in.Sends); err != nil {
		return res, err
	}
	if own.Listens, err = channelNamed(v, me, me, in.Listens); err != nil {
		return res, err
	}
	own.ID, err = s.Accounts.Create(ctx, a, ports.NewUser{
		Email: email, FullName: in.FullName, Role: user.Member, BotType: in.Type, BotOwner: me.ID, BotDefaults: own,
	})
	if err != nil {
		return res, err
	}
	if have.service != nil {
		if have.service.Token, err = s.Sealer.Seal(purpose(own.ID), rand.Text()); err != nil {
			s.Logger.Error("the token of an outgoing webhook cannot be encrypted", "error", err)
			return res, errs.New(errs.Unavailable, "The server can't create outgoing webhooks at the moment.").Because(err)
		}
	}
	if err := s.store.Write(ctx, a.Realm, own, have); err != nil {
		return res, err
	}
	res.UserID = own.ID
	res.Key, err = s.Accounts.IssueKey(ctx, a, own.ID)
	return res, err
}

// checkCreate checks that a user has permission to create bots of a type and does not own too many. Errors: BadRequest.
func (s *service) checkCreate(v *directory.View, me *user.User, t user.BotType) error {
	if !permission.CreatesBot(v, me.ID, t) {
		return errs.Bad("Insufficient permission")
	}
	return s.checkBotLimit(v, me.ID)
}

// checkBotLimit checks that a user may own another bot. Errors: BadRequest.
func (s *service) checkBotLimit(v *directory.View, owner user.ID) error {
	n := 0
	for u := range v.Users() {
		if u.IsBot() && u.BotOwner == owner {
			n++
		}
	}
	if n >= s.cfg.MaxPerOwner {
		return errs.Bad("A user can own at most %d bots.", s.cfg.MaxPerOwner)
	}
	return nil
}

// channelNamed returns the ID of a channel for a bot's defaults, or 0 if name is "". Both asker and owner must be
// allowed to see the channel. Errors: BadRequest.
func channelNamed(v *directory.View, asker, owner *user.User, name string) (channel.ID, error) {
	if name == "" {
		return 0, nil
	}
	c := v.ChannelByName(name)
	if c == nil || c.Archived || !permission.SeesChannel(v, c, asker) || !permission.SeesChannel(v, c, owner) {
		return 0, errs.Bad("Invalid channel name '%.100s'", name)
	}
	return c.ID, nil
}
