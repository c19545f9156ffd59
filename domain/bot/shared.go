package bot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Shared is the defaults of a realm's bots as shared facts: those of bots that have any.
var Shared = directory.NewSlot("bot", changed, directory.Swap[Bot].Inverse)

// Change is a change of a bot's defaults; old is nil if it had none, now if it has none any more.
func Change(old, now *Bot) directory.Change {
	return Shared.Change(directory.Swap[Bot]{Old: old, New: now})
}

// In returns a bot's defaults.
func In(v *directory.View, id user.ID) Bot {
	if b := Shared.In(v)[id]; b != nil {
		return *b
	}
	return Bot{ID: id}
}

// All returns the bots that have defaults, by ID.
func All(v *directory.View) []*Bot {
	return slices.SortedFunc(maps.Values(Shared.In(v)), func(a, b *Bot) int { return cmp.Compare(a.ID, b.ID) })
}

func changed(all map[user.ID]*Bot, c directory.Swap[Bot]) map[user.ID]*Bot {
	now := make(map[user.ID]*Bot, len(all)+1)
	maps.Copy(now, all)
	if c.Old != nil {
		delete(now, c.Old.ID)
	}
	if c.New != nil {
		now[c.New.ID] = c.New
	}
	return now
}
