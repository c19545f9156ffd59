package linkifier

import "github.com/stoachat/stoa/domain/directory"

// Shared is the realm's linkifiers as shared facts.
var Shared = directory.NewSlot("linkifier", (*List).changed, directory.Swap[Linkifier].Inverse)

// Change is a change of one linkifier; old is nil for a new one, now for a removed one.
func Change(old, now *Linkifier) directory.Change {
	return Shared.Change(directory.Swap[Linkifier]{Old: old, New: now})
}

// In returns the linkifiers of a view's realm, in their order.
func In(v *directory.View) *List { return Shared.In(v) }

func (l *List) changed(c directory.Swap[Linkifier]) *List { return l.With(c.Old, c.New) }
