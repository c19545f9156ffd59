package bot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Shared is the slot for bots' defaults. It contains only bots that have any.
var Shared = directory.NewSlot("bot", changed, directory.Swap[Bot].Inverse)

// Change returns the change of a bot's defaults. old is nil if the bot had none, now is nil if it loses them.
func Change(old, now *Bot) directory.Change {
	return Shared.Change(directory.Swap[Bot]{Old: old, New: now})
}

// In returns a bot's defaults; only the ID is set if it has none.
func In(v *directory.View, id user.ID) Bot {
	if b := Shared.In(v)[id]; b != nil {
		return *b
	}
	return Bot{ID: id}
}

// All returns the bots that have defaults, in order of ID.
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
