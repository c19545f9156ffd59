package linkifier

import "github.com/stoachat/stoa/domain/directory"

// Shared is the slot for a realm's linkifiers.
var Shared = directory.NewSlot("linkifier", (*List).changed, directory.Swap[Linkifier].Inverse)

// Change returns the change of one linkifier; old is nil for a new one, now for a removed one.
func Change(old, now *Linkifier) directory.Change {
	return Shared.Change(directory.Swap[Linkifier]{Old: old, New: now})
}

// In returns the realm's linkifiers in the order they are applied.
func In(v *directory.View) *List { return Shared.In(v) }

func (l *List) changed(c directory.Swap[Linkifier]) *List { return l.With(c.Old, c.New) }
