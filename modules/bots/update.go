package bots

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type updateReq struct {
	Bot       user.ID            `json:"bot_id"`
	FullName  *string            `json:"full_name"`
	ShortName *string            `json:"short_name"`
	Owner     *user.ID           `json:"bot_owner_id"`
	Role      *user.Role         `json:"role"`
	Config    *map[string]string `json:"config_data"`
	Interface *bot.Interface     `json:"service_interface"`
	URL       *plain             `json:"service_payload_url"`
	Sends     *string            `json:"default_sending_stream"`
	Listens   *string            `json:"default_events_register_stream"`
	AllPublic *bool              `json:"default_all_public_streams"`
	File      *kit.File          `file:"avatar"`
}

type updateRes struct {
	FullName  string            `json:"full_name"`
	Avatar    *string           `json:"avatar_url"`
	Interface bot.Interface     `json:"service_interface"`
	URL       *string           `json:"service_payload_url"`
	Config    map[string]string `json:"config_data"`
	defaults
	Owner string `json:"bot_owner,omitempty"` // email address
}

// update handles PATCH /bots/{bot_id}. It applies all changes or none. Errors: BadRequest, UnauthorizedPrincipal,
// BadImage.
func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (updateRes, error) {
	if _, _, _, err := s.managedBot(ctx, a, in.Bot); err != nil {
		return updateRes{}, err
	}
	show, err := s.storeAvatar(ctx, a, in.File)
	if err != nil {
		return updateRes{}, err
	}
	have, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (setup, error) {
		if err := s.changeAccount(ctx, a, in); err != nil {
			return setup{}, err
		}
		if err := show(ctx, in.Bot); err != nil {
			return setup{}, err
		}
		return s.changeSetup(ctx, a, in)
	})
	if err != nil {
		return updateRes{}, err
	}
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return updateRes{}, err
	}
	b := v.User(in.Bot)
	res := updateRes{
		FullName: b.FullName, Avatar: permission.AvatarURL(v, b, false), Interface: bot.GenericInterface, Config: have.config,
		defaults: defaultsOf(v, me, b.ID),
	}
	if have.service != nil {
		res.Interface, res.URL = have.service.Interface, &have.service.URL
	}
	if owner := v.User(b.BotOwner); owner != nil {
		res.Owner = permission.APIEmail(v, owner)
	}
	return res, nil
}

// changeAccount changes the bot's account.
func (s *service) changeAccount(ctx context.Context, a kit.Actor, in updateReq) error {
	v, me, b, err := s.managedBot(ctx, a, in.Bot)
	if err != nil {
		return err
	}
	c := ports.UserChange{FullName: in.FullName, Role: in.Role}
	if in.ShortName != nil {
		email, err := bot.Email(*in.ShortName, v.Realm().MailDomain)
		if err != nil {
			return err
		}
		c.Email = &email
	}
	if in.Owner != nil && *in.Owner != b.BotOwner {
		if err := permission.CheckBotOwner(v, me, v.User(*in.Owner)); err != nil {
			return err
		}
		if !permission.CreatesBot(v, *in.Owner, b.BotType) { // users can only own bots that they could create
			return errs.Bad("The new owner is not allowed to own bots of this type.")
		}
		role := b.Role
		if in.Role != nil {
			role = *in.Role
		}
		if err := permission.CheckTransferBot(me, v.User(*in.Owner), role); err != nil {
			return err
		}
		if err := s.checkBotLimit(v, *in.Owner); err != nil {
			return err
		}
		c.BotOwner = in.Owner
	}
	return s.BotAccounts.Amend(ctx, a, b.ID, c)
}

// changeSetup changes the bot's configuration, endpoint and defaults. Call it after changeAccount, which may change the
// owner.
func (s *service) changeSetup(ctx context.Context, a kit.Actor, in updateReq) (setup, error) {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return setup{}, err
	}
	b := v.User(in.Bot)
	had, err := s.store.Lock(ctx, b.ID)
	if err != nil {
		return setup{}, err
	}
	have, err := in.newSetup(b, had)
	if err != nil {
		return setup{}, err
	}
	was := bot.In(v, b.ID)
	is, err := in.newDefaults(v, me, b, was)
	if err != nil {
		return setup{}, err
	}
	if err := s.store.Write(ctx, a.Realm, is, have); err != nil {
		return setup{}, err
	}
	if err := s.record(ctx, a, b, had, have); err != nil {
		return setup{}, err
	}
	var entries []event.Event
	if is != was {
		entries = append(entries, defaultsChanged.To(a.Realm, event.None(), kit.None{}).Changing(changeOf(was, is)))
	}
	if have.service != nil && *have.service != *had.service {
		entries = append(entries, s.updated.To(a.Realm, managers(b), botChange{Bot: b.ID, Property: propServices}))
	}
	if len(entries) == 0 {
		return have, nil
	}
	return have, s.Log.Append(ctx, entries...)
}

// record records a changed configuration, whose values may be secrets, and a changed endpoint.
func (s *service) record(ctx context.Context, a kit.Actor, b *user.User, had, have setup) error {
	old, now := audit.Values{}, audit.Values{}
	if !maps.Equal(had.config, have.config) {
		old["config"], now["config"] = audit.Secret, audit.Secret
	}
	if have.service != nil && *have.service != *had.service {
		old["service"], now["service"] = had.service.URL, have.service.URL
	}
	if len(now) == 0 {
		return nil
	}
	return s.Audit.Record(ctx, audit.Fact{
		Realm: a.Realm, Action: audit.BotChanged, Target: audit.To(audit.User, b.ID), Old: old, New: now,
	})
}

func changeOf(was, is bot.Bot) directory.Change {
	if is == (bot.Bot{ID: is.ID}) {
		return bot.Change(&was, nil)
	}
	if was == (bot.Bot{ID: was.ID}) {
		return bot.Change(nil, &is)
	}
	return bot.Change(&was, &is)
}

// newSetup applies the requested changes of configuration and endpoint to had and returns the result. Errors:
// BadRequest.
func (in updateReq) newSetup(b *user.User, had setup) (setup, error) {
	have := setup{maps.Clone(had.config), had.service}
	if in.Config != nil {
		maps.Copy(have.config, *in.Config)
		if err := bot.CheckConfig(have.config); err != nil {
			return setup{}, err
		}
	}
	if in.URL == nil && in.Interface == nil {
		return have, nil
	}
	if b.BotType != user.OutgoingWebhook || had.service == nil {
		return setup{}, errs.Bad("Only outgoing webhook bots have a service.")
	}
	now := *had.service
	if in.URL != nil {
		now.URL = string(*in.URL)
	}
	if in.Interface != nil {
		now.Interface = *in.Interface
	}
	have.service = &now
	return have, now.Check()
}

// newDefaults returns the bot's new defaults. If the owner changes, it removes channels that the new owner cannot see.
// Errors: BadRequest.
func (in updateReq) newDefaults(v *directory.View, me, b *user.User, was bot.Bot) (bot.Bot, error) {
	owner := v.User(b.BotOwner)
	is := was
	if in.Owner != nil {
		is = withoutHidden(v, owner, was)
	}
	var err error
	if in.Sends != nil {
		if is.Sends, err = channelNamed(v, me, owner, *in.Sends); err != nil {
			return is, err
		}
	}
	if in.Listens != nil {
		if is.Listens, err = channelNamed(v, me, owner, *in.Listens); err != nil {
			return is, err
		}
	}
	if in.AllPublic != nil {
		is.AllPublic = *in.AllPublic
	}
	return is, nil
}
