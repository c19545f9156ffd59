// Package invite is how people come into a realm: invitations by e-mail, links for any number of people, and the
// confirmation of addresses.
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

// Kind says what an invitation is good for.
type Kind int16

// The kinds, as they are stored; never renumber.
const (
	ByMail       Kind = 1 // for one address, which got the key by mail
	ByLink       Kind = 2 // for whoever has the link
	Confirmation Kind = 3 // for one address that somebody gave who has a link, or who needs none
)

// Invite is one way into a realm.
type Invite struct {
	ID      ID
	Realm   realm.ID
	Kind    Kind
	Nonce   string    // what the key is made of, beside the server's secret
	Email   string    // of all but links
	Inviter user.ID   // 0: of a confirmation
	Link    ID        // of a confirmation: what it stands on, 0 for nothing
	Created time.Time // in UTC, as the next two
	Expires time.Time // zero: never
	Ended   time.Time // zero: it has been neither used up nor revoked
	Uses    int       // people who have come by it
	Terms
}

// Terms are what becomes of whoever accepts.
type Terms struct {
	Role     user.Role
	Channels []channel.ID // to subscribe to
	Groups   []group.ID   // to be a member of
	Defaults bool         // subscribe to the default channels too
	Notify   bool         // tell the inviter
	Welcome  *string      // nil: the realm's text; "": none
}

// Pending tells whether an invitation can still be used.
func (i *Invite) Pending(now time.Time) bool {
	return i.Ended.IsZero() && (i.Expires.IsZero() || now.Before(i.Expires))
}

// maxMinutes is the longest time that an invitation may be good for, if it is not for ever: a hundred years.
const maxMinutes = 100 * 365 * 24 * 60

// Until gives when an invitation ends that is good for so many minutes from now; nil is for ever, which is the zero
// time. Errors: BadRequest.
func Until(now time.Time, minutes *int64) (time.Time, error) {
	if minutes == nil {
		return time.Time{}, nil
	}
	if *minutes <= 0 || *minutes > maxMinutes {
		return time.Time{}, errs.Bad("invite_expires_in_minutes must be a number from 1 to %d, or null", maxMinutes)
	}
	return now.Add(time.Duration(*minutes) * time.Minute), nil
}
