package birthdays

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/modules/kit"
)

// setting declares who is allowed to enter a birthday.
var setting = group.Rule{
	Name: "can_set_birthday_group", Default: group.Everyone, Nobody: true, Everyone: true,
}

// setters holds the value of the setting as a shared fact, since every request to enter a birthday needs it; nil stands
// for the default.
var setters = directory.NewSlot("birthday_setters",
	func(_ *group.Setting, c directory.Swap[group.Setting]) *group.Setting { return c.New },
	directory.Swap[group.Setting].Inverse)

func settersIn(v *directory.View) group.Setting {
	if s := setters.In(v); s != nil {
		return *s
	}
	return permission.Default(setting, 0)
}

type settings struct {
	Setters group.Setting `json:"can_set_birthday_group"`
}

var settingsChanged = kit.Event[settings]("birthdays", "settings")

// configure handles PATCH /birthdays/settings. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) configure(ctx context.Context, a kit.Actor, in settings) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		now := in.Setters.Normal()
		if err := permission.CheckValue(v, setting, now); err != nil {
			return err
		}
		if err := s.store.SetSetters(ctx, a.Realm, now); err != nil {
			return err
		}
		change := setters.Change(directory.Swap[group.Setting]{Old: setters.In(v), New: &now})
		return s.Log.Append(ctx, settingsChanged.To(a.Realm, event.Everyone(), settings{now}).Changing(change))
	})
}
