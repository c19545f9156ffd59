// Package confirmation is what people do by a link in a mail that was sent to them: prove that an address is theirs,
// and set a new password.
package confirmation

import (
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a confirmation on this server.
type ID int64

// Kind says what a confirmation is for.
type Kind int

// The kinds.
const (
	Address  Kind = 1 + iota // the person's address becomes the one that the mail went to
	Password                 // whoever has the address sets a new password
	Notice                   // nothing: it tells the address that it is no longer the person's
)

// String names a kind in keys.
func (k Kind) String() string {
	return map[Kind]string{Address: "address", Password: "password", Notice: "notice"}[k]
}

// Confirmation is a mail with, or without, a link.
type Confirmation struct {
	ID      ID
	Realm   realm.ID
	Kind    Kind
	User    user.ID // 0 of a password: whoever has the address then
	Email   string  // where the mail goes
	Nonce   string  // what the key is made of, beside the server's secret
	Created time.Time
	Expires time.Time
	Ended   time.Time // zero: neither used nor void
}

// Pending tells whether the link works.
func (c *Confirmation) Pending(now time.Time) bool {
	return c.Kind != Notice && c.Ended.IsZero() && now.Before(c.Expires)
}

// Limit is how often something may be done within a time that moves along.
type Limit struct {
	Most int
	Over time.Duration
}

// Wait tells how long to wait until it may be done once more, after it was done then, in any order; 0: it may be now.
func Wait(now time.Time, done []time.Time, limits ...Limit) time.Duration {
	done = slices.Clone(done)
	slices.SortFunc(done, func(a, b time.Time) int { return b.Compare(a) }) // the latest first
	var wait time.Duration
	for _, l := range limits {
		if len(done) >= l.Most {
			wait = max(wait, done[l.Most-1].Add(l.Over).Sub(now))
		}
	}
	return wait
}
