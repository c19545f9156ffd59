package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// Ripening is a moment: it asks up to when the people of a realm have been told of those who became full members by time alone. What is
// told of other changes goes on from there: nobody is told twice, or not at all, because they became one since then.
type Ripening struct {
	Realm   realm.ID
	Changed *directory.Changed // nil, or the change before which it was so
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
