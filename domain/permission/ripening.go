package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// Ripening is a moment: it asks up to when the people of a realm have been told of those who became full members by time alone. What
// others gain by a change goes on from there: nobody is left untold because they became one since then. What they lose does not: a queue
// that was begun since then began with the fact.
type Ripening struct {
	Realm   realm.ID
	Changed *directory.Changed // the change before which it was so
	Upto    time.Time
	Known   bool // somebody tells of it
}

// Told gives a view as people have been told of it.
func (r *Ripening) Told(v *directory.View) *directory.View {
	if !r.Known || Waiting(v) == 0 {
		return v
	}
	return v.AsOf(v.Seq(), r.Upto)
}

// Waiting gives after how many days members become full ones, 0 where they are from the beginning.
func Waiting(v *directory.View) int {
	if v.Realm() == nil {
		return 0
	}
	return v.Realm().Settings.WaitingPeriodThreshold
}
