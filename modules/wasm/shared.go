package wasm

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// guest is an installed module. Guests are shared facts, so that all nodes run the same version at every position of
// the log.
type guest struct {
	ID        int64     `json:"id"`
	Hash      string    `json:"hash"` // of the package
	Manifest  manifest  `json:"manifest"`
	Disabled  string    `json:"disabled,omitempty"` // the reason; "": it runs
	Installed time.Time `json:"installed"`
}

// guests holds a realm's modules by name.
var guests = directory.NewSlot("wasm", changed, directory.Swap[guest].Inverse)

func changed(all map[string]*guest, c directory.Swap[guest]) map[string]*guest {
	now := make(map[string]*guest, len(all)+1)
	maps.Copy(now, all)
	if c.Old != nil {
		delete(now, c.Old.Manifest.Name)
	}
	if c.New != nil {
		now[c.New.Manifest.Name] = c.New
	}
	return now
}

// sorted returns a realm's modules by name.
func sorted(v *directory.View) []*guest {
	return slices.SortedFunc(maps.Values(guests.In(v)), func(a, b *guest) int {
		return cmp.Compare(a.Manifest.Name, b.Manifest.Name)
	})
}

// find returns a module. Errors: NotFound.
func find(v *directory.View, name string) (*guest, error) {
	if g := guests.In(v)[name]; g != nil {
		return g, nil
	}
	return nil, errs.Absent("There is no module %q.", name)
}

// botName returns the short name of the module's bot. It differs from those of the server's modules, whose bots it must
// not become.
func (m *manifest) botName() string { return ownBots + m.Name }

// ownBots begins the short names of the modules' bots.
const ownBots = "module-"

// bot returns the bot of a module, or nil if there is none or it has been deactivated.
func (g *guest) bot(v *directory.View) *user.User {
	email, err := bot.Email(g.Manifest.botName(), v.Realm().MailDomain)
	if err != nil {
		return nil
	}
	u := v.UserByEmail(email)
	if u == nil || !u.Active || u.BotType != user.GenericBot || u.BotOwner != 0 || u.System {
		return nil
	}
	return u
}
