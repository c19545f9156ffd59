// Package confirmation describes actions that a user confirms through an emailed link: changing an email address and
// resetting a password.
package confirmation

import (
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a confirmation on this server.
type ID int64

// Kind is the purpose of a confirmation.
type Kind int

// The kinds.
const (
	Address  Kind = 1 + iota // the link makes Email the user's address
	Password                 // the link sets a new password for the account with the address
	Notice                   // no link: informs the previous address of a change
)

// String returns the name of the kind in link keys.
func (k Kind) String() string {
	return map[Kind]string{Address: "address", Password: "password", Notice: "notice"}[k]
}

// Confirmation is an email with or without a link.
type Confirmation struct {
	ID      ID
	Realm   realm.ID
	Kind    Kind
	User    user.ID // 0 for a Password: resolved by Email when the link is used
	Email   string  // the receiver
	Nonce   string  // input to the key, besides the server's secret
	Created time.Time
	Expires time.Time
	Ended   time.Time // zero: neither used nor revoked
}

// Pending reports whether the link is valid.
func (c *Confirmation) Pending(now time.Time) bool {
	return c.Kind != Notice && c.Ended.IsZero() && now.Before(c.Expires)
}

// Limit allows an action at most Most times within a sliding window.
type Limit struct {
	Most int
	Over time.Duration
}

// Wait returns how long an action must wait under the limits, given the times of earlier ones in any order; 0 means
// that it is allowed now.
func Wait(now time.Time, done []time.Time, limits ...Limit) time.Duration {
	done = slices.Clone(done)
	slices.SortFunc(done, func(a, b time.Time) int { return b.Compare(a) }) // latest first
	var wait time.Duration
	for _, l := range limits {
		if len(done) >= l.Most {
			wait = max(wait, done[l.Most-1].Add(l.Over).Sub(now))
		}
	}
	return wait
}
