// Package quota divides limited totals among users, so that no one can make so much that nothing is left for others.
//
// Whatever has a maximum per realm is admitted by a [Limit]. Members and guests each have a share, and together leave
// two tenths of the total: one for administrators, who can then still work, and one that only owners can use. What
// bots make counts toward their owners' shares ([directory.View.Responsible]).
//
// Only active things count toward the total, so that administrators can always free some of it: by deactivating groups
// and emoji, archiving channels and folders, and revoking invitations. Deactivated things continue to count toward the
// shares of those who made them. Otherwise the share would not limit how much they make.
package quota

import (
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Limit is the limit for one kind of thing.
type Limit struct {
	What  string // plural, for errors, such as "user groups"
	Total int    // maximum number per realm, without deactivated ones
	// maximum number made by one user, including deactivated ones; 0: only administrators make them, and any
	// administrator can remove them
	Author int
}

// Count is the number of existing things of a kind.
type Count struct {
	All int // active ones
	Own int // made by the user and the user's bots, including deactivated ones
}

// Room returns the part of a total that users with role r may use up together with all users of lower roles.
func Room[N int | int64](total N, r user.Role) N {
	tenth := total / 10
	switch {
	case r <= user.Owner:
		return total
	case r <= user.Admin:
		return total - tenth
	}
	return total - 2*tenth
}

// Share returns the part of a total that one user with role r may use up: at most half of what members have together,
// so that there is always something left for others. Administrators, who can remove what others made, have no share of
// their own but may use the total once, counting what they have deactivated; owners have no limit.
func Share[N int | int64](total, author N, r user.Role) (share N, limited bool) {
	switch {
	case r <= user.Owner:
		return 0, false
	case r <= user.Admin:
		return total, true
	}
	return min(author, max(Room(total, r)/2, 1)), true
}

// Excess is the part of a limit that would be exceeded.
type Excess int

// The parts of a limit.
const (
	None  Excess = iota
	Own          // the user's share
	Total        // what users with the same or a lower role may use up together
)

// Exceeded reports whether a user with role r would exceed a part of the limit with more things, and the maximum of
// that part.
func (l Limit) Exceeded(r user.Role, now Count, more int) (part Excess, most int) {
	if l.Author > 0 {
		if share, limited := Share(l.Total, l.Author, r); limited && now.Own+more > share {
			return Own, share
		}
	}
	if room := Room(l.Total, r); now.All+more > room {
		return Total, room
	}
	return None, 0
}

// Admit checks that a user with role r can make more things. Errors: BadRequest.
func (l Limit) Admit(r user.Role, now Count, more int) error {
	part, most := l.Exceeded(r, now, more)
	switch {
	case part == None:
		return nil
	case part == Own:
		return errs.Bad("You have made too many %s (limit: %d).", l.What, most)
	case most < l.Total:
		return errs.Bad("Too many %s (limit: %d; the rest is reserved for administrators). Remove some first.", l.What, most)
	}
	return errs.Bad("Too many %s (limit: %d). Remove some first.", l.What, most)
}

// adminFactor is how many times the daily limit of members administrators have.
const adminFactor = 10

// Daily returns how many things a user with role r may make in 24 hours if members may make n. Owners have no limit.
func Daily(n int, r user.Role) (limit int, limited bool) {
	switch {
	case r <= user.Owner:
		return 0, false
	case r <= user.Admin:
		return n * adminFactor, true
	}
	return n, true
}

// AdmitToday checks that a user with role r, who has made today things in the last 24 hours, can make more. n is the
// limit for members. Errors: BadRequest.
func AdmitToday(what string, n int, r user.Role, today, more int) error {
	if limit, limited := Daily(n, r); limited && today+more > limit {
		return errs.Bad("You have created too many %s today (limit: %d).", what, limit)
	}
	return nil
}
