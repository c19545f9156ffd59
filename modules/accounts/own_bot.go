package accounts

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Bot returns a module's own bot; see ports.Accounts.
func (s *service) Bot(ctx context.Context, r realm.ID, short, fullName string) (user.Actor, error) {
	if !s.Collected.OwnBot(short) {
		return user.Actor{}, fmt.Errorf("accounts: no module declares the bot %q; list it in kit.Parts.Bots", short)
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (user.Actor, error) {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return user.Actor{}, err
		}
		email, err := bot.Email(short, v.Realm().MailDomain)
		if err != nil {
			return user.Actor{}, err
		}
		u := v.UserByEmail(email)
		if u == nil {
			own := user.User{BotType: user.GenericBot}
			if checkUnusedName(v, &own, fullName) != nil { // names cannot be reserved: people choose theirs freely
				fullName += " (" + short + "-bot)"
			}
			id, err := s.Create(ctx, user.Actor{Realm: r, System: true}, ports.NewUser{
				Email: email, FullName: fullName, Role: user.Member, BotType: user.GenericBot,
			})
			return user.Actor{Realm: r, User: id, Role: user.Member, Bot: user.GenericBot, Client: "Internal"}, err
		}
		if u.BotType != user.GenericBot || u.BotOwner != 0 || u.System {
			return user.Actor{}, errEmailInUse(email)
		}
		a, active := v.Actor(u.ID)
		if !active {
			return user.Actor{}, errs.Bad("The bot %s has been deactivated.", u.FullName)
		}
		return a, nil
	})
}
