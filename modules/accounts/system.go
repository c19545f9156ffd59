package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// systemBotsCreated logs the creation of a realm's system bots. It is not sent to clients, since the realm has no users
// yet.
var systemBotsCreated = kit.Event[kit.None]("user", "system").Internal()

// createSystemBots creates a new realm's system bots, which send the server's messages. They are users of the realm,
// but cannot be listed, changed or deactivated.
func (s *service) createSystemBots(ctx context.Context, m *realm.Created) error {
	var changes []directory.Change
	for _, b := range []struct{ local, name string }{
		{user.NotificationBot, "Notification Bot"}, {user.WelcomeBot, "Welcome Bot"}, {user.EmailGatewayBot, "Email Gateway"},
	} {
		u := &user.User{
			DeliveryEmail: b.local + "@" + m.Realm.MailDomain, FullName: b.name, Role: user.Member, Active: true,
			BotType: user.GenericBot,
			System:  true, Joined: m.Realm.Created, AvatarSource: user.Gravatar, AvatarVersion: 1, Settings: user.Defaults(),
		}
		if err := s.store.Insert(ctx, m.Realm.ID, u); err != nil {
			return err
		}
		changes = append(changes, directory.OfUser(nil, u))
	}
	return s.Log.Append(ctx, systemBotsCreated.To(m.Realm.ID, event.None(), kit.None{}).Changing(changes...))
}
