package accounts

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type createReq struct {
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	Password string `json:"password"`
}

type createRes struct {
	UserID user.ID `json:"user_id"`
}

// create handles POST /users. The new user joins at the first login; see recordFirstLogin. Errors: BadRequest,
// UnauthorizedPrincipal.
func (s *service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	if !s.cfg.AdminsCreateUsers {
		return createRes{}, errs.Bad("User not authorized to create users")
	}
	at, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return createRes{}, err
	}
	hash, err := s.Hash(ctx, in.Password, in.Email, in.FullName, at.Realm().Settings.Name)
	if err != nil {
		return createRes{}, err
	}
	n := ports.NewUser{Email: in.Email, FullName: in.FullName, PasswordHash: hash, Role: user.Member}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (createRes, error) {
		id, err := s.createUser(ctx, a, n, func(v *directory.View) error {
			me, err := permission.Caller(v, a)
			if err == nil && !me.IsAdmin() {
				err = permission.RoleRequired(user.Admin)
			}
			return err
		})
		if err != nil {
			return createRes{}, err
		}
		return createRes{id}, s.store.SetAwaitingLogin(ctx, id)
	})
}

// Create creates a user; see ports.Accounts.
func (s *service) Create(ctx context.Context, by user.Actor, n ports.NewUser) (user.ID, error) {
	return s.createUser(ctx, by, n, func(*directory.View) error { return nil })
}

// createUser creates a user. It calls may in the same unit of work and does nothing if may returns an error.
func (s *service) createUser(
	ctx context.Context,
	by user.Actor,
	n ports.NewUser,
	may func(*directory.View) error,
) (user.ID, error) {
	email, err := user.CheckEmail(n.Email)
	if err != nil {
		return 0, err
	}
	name, err := user.CheckName(n.FullName)
	if err != nil {
		return 0, err
	}
	if !n.Role.Valid() {
		return 0, errs.Bad("Invalid role")
	}
	var defaults *bot.Bot
	if n.BotDefaults != (bot.Bot{}) {
		defaults = &n.BotDefaults
	}
	hash := n.PasswordHash
	if n.Password != "" { // hashing is slow by design, so not in the transaction
		if err := s.Check(n.Password, email, name); err != nil {
			return 0, err
		}
		if hash, err = s.hasher.Hash(ctx, n.Password); err != nil {
			return 0, err
		}
	}
	u := user.User{
		DeliveryEmail: email, FullName: name, Role: n.Role, Active: true, BotType: n.BotType, BotOwner: n.BotOwner,
		AvatarVersion: 1,
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (user.ID, error) {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return 0, err
		}
		if err := may(v); err != nil {
			return 0, err
		}
		return s.insertUser(ctx, v, by, u, defaults, hash, n)
	})
}

// insertUser stores a new user and logs the event; createUser calls it inside Do. The user joins at the view's time:
// with a later time, hooks would not treat the user as a full member. defaults is nil for people and for bots without
// defaults.
func (s *service) insertUser(
	ctx context.Context,
	v *directory.View,
	by user.Actor,
	u user.User,
	defaults *bot.Bot,
	password string,
	n ports.NewUser,
) (user.ID, error) {
	r := v.Realm()
	if err := s.checkUnusedEmail(v, &u, u.DeliveryEmail); err != nil {
		return 0, err
	}
	if err := checkUnusedName(v, &u, u.FullName); err != nil {
		return 0, err
	}
	if !u.IsBot() && !by.System {
		if err := r.CheckEmail(u.DeliveryEmail); err != nil {
			return 0, err
		}
	}
	u.Joined, u.AvatarSource = v.Now(), r.Settings.DefaultAvatarSource
	u.Settings = r.NewUserSettings()
	if n.Language != "" {
		u.Settings.DefaultLanguage = n.Language
	}
	if err := s.store.Insert(ctx, by.Realm, &u); err != nil {
		return 0, err
	}
	if password != "" {
		if err := s.store.SetPassword(ctx, u.ID, password); err != nil {
			return 0, err
		}
	}
	facts := []directory.Change{directory.OfUser(nil, &u)}
	if defaults != nil {
		own := *defaults
		own.ID = u.ID
		facts = append(facts, bot.Change(nil, &own))
	}
	if err := s.Log.Append(ctx, userAdded.To(by.Realm, event.Seeing(u.ID),
		added{UserID: u.ID}).Changing(facts...)); err != nil {
		return 0, err
	}
	return u.ID, s.Hooks.Run(
		ctx,
		&user.Joined{
			Realm: by.Realm, By: by, User: &u, Channels: n.Channels, Groups: n.Groups,
			NoDefaultChannels: n.NoDefaultChannels, Welcome: n.Welcome,
		},
	)
}

// checkUnusedEmail returns an error if an email address for u is in use or reserved. Errors: BadRequest.
func (s *service) checkUnusedEmail(v *directory.View, u *user.User, email string) error {
	if s.reserved(v, u, email) || v.UserByEmail(email) != nil {
		return errEmailInUse(email)
	}
	return nil
}

// reserved reports whether u cannot have an address because the server generates such addresses, or because it is that
// of a module's own bot, which has no owner.
func (s *service) reserved(v *directory.View, u *user.User, email string) bool {
	domain := domainOf(v)
	if _, made := user.FromAPIEmail(email, domain); made {
		return true
	}
	local, ours := strings.CutSuffix(user.EmailKey(email), user.EmailKey("@"+domain))
	short, isBot := strings.CutSuffix(local, "-bot")
	ofModule := u.BotType == user.GenericBot && u.BotOwner == 0
	return ours && isBot && !ofModule && s.Collected.OwnBot(short)
}
