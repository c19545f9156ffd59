// Package invite describes how users join a realm: invitations by email, reusable links, and the confirmation of
// addresses.
package invite

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies an invitation on this server.
type ID int64

// Kind determines who can use an invitation.
type Kind int16

// The kinds, as they are stored; never renumber.
const (
	ByMail       Kind = 1 // for one address, which received the key by email
	ByLink       Kind = 2 // for anyone who has the link
	Confirmation Kind = 3 // confirms an address given by someone joining with a link or without an invitation
)

// Invite is a way to join a realm.
type Invite struct {
	ID      ID
	Realm   realm.ID
	Kind    Kind
	Nonce   string    // input to the key, besides the server's secret
	Email   string    // empty for links
	Inviter user.ID   // 0 for confirmations
	Link    ID        // for confirmations, the link used; 0: none
	Created time.Time // in UTC, as are the next two
	Expires time.Time // zero: never
	Ended   time.Time // zero: neither used up nor revoked
	Uses    int       // number of users who joined
	Terms
}

// Terms determine the properties of the accounts of users who accept.
type Terms struct {
	Role     user.Role
	Channels []channel.ID // to subscribe to
	Groups   []group.ID   // to be a member of
	Defaults bool         // subscribe to the default channels too
	Notify   bool         // notify the inviter
	Welcome  *string      // nil: the realm's text; "": none
}

// Pending reports whether an invitation can still be used.
func (i *Invite) Pending(now time.Time) bool {
	return i.Ended.IsZero() && (i.Expires.IsZero() || now.Before(i.Expires))
}

// maxMinutes is the longest validity short of unlimited: a hundred years.
const maxMinutes = 100 * 365 * 24 * 60

// Until returns the time at which an invitation that is valid for the given minutes from now expires. It is zero if
// minutes is nil, which means unlimited. Errors: BadRequest.
func Until(now time.Time, minutes *int64) (time.Time, error) {
	if minutes == nil {
		return time.Time{}, nil
	}
	if *minutes <= 0 || *minutes > maxMinutes {
		return time.Time{}, errs.Bad("invite_expires_in_minutes must be a number from 1 to %d, or null", maxMinutes)
	}
	return now.Add(time.Duration(*minutes) * time.Minute), nil
}
