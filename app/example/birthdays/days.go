package birthdays

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

type birthday struct {
	UserID user.ID `json:"user_id"`
	Day    string  `json:"day"` // 2006-01-02
}

// newBirthday returns a valid birthday. Errors: BadRequest.
func newBirthday(u user.ID, day string, today time.Time) (birthday, error) {
	if t, err := time.Parse(time.DateOnly, day); err != nil || t.After(today) {
		return birthday{}, errs.Bad("day must be a past date such as 1990-02-28")
	}
	return birthday{u, day}, nil
}

// onDay reports whether the birthday is celebrated on a day.
func (b birthday) onDay(day time.Time) bool { return b.Day[len("2006-"):] == day.Format("01-02") }

// days holds a realm's birthdays as shared facts. They are loaded once per realm and node; the log keeps them current.
var days = directory.NewSlot("birthdays", apply, directory.Swap[birthday].Inverse)

// apply returns the birthdays after a change. It copies them, because states are immutable.
func apply(all map[user.ID]*birthday, c directory.Swap[birthday]) map[user.ID]*birthday {
	now := make(map[user.ID]*birthday, len(all)+1)
	maps.Copy(now, all)
	if c.New != nil {
		now[c.New.UserID] = c.New
	} else {
		delete(now, c.Old.UserID)
	}
	return now
}

func changed(old, now *birthday) directory.Change {
	return days.Change(directory.Swap[birthday]{Old: old, New: now})
}

// of returns a user's birthday, or nil if it is not known.
func of(v *directory.View, u user.ID) *birthday { return days.In(v)[u] }

// known returns all birthdays, sorted by user ID.
func known(v *directory.View) []birthday {
	all := []birthday{}
	for _, b := range days.In(v) {
		all = append(all, *b)
	}
	slices.SortFunc(all, func(a, b birthday) int { return cmp.Compare(a.UserID, b.UserID) })
	return all
}
