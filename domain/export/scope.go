package export

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Scope decides what is in an export. Everything that a module exports is asked of it.
type Scope struct {
	View  *directory.View
	Type  Type
	Until time.Time // what was sent later is left out

	consenting user.Set
}

// ScopeOf returns the scope of an export as the organization is now. Consent that was withdrawn while the archive is
// written counts for the rest of it.
func ScopeOf(v *directory.View, t Type, until time.Time) *Scope {
	s := &Scope{View: v, Type: t, Until: until}
	if t == WithConsent {
		for u := range v.Users() {
			if Consents(u) {
				s.consenting = append(s.consenting, u.ID)
			}
		}
	}
	return s
}

// Consents reports whether a person allows their private data to be exported. Bots cannot.
func Consents(u *user.User) bool { return !u.IsBot() && u.Settings.AllowPrivateDataExport }

// Everything reports whether nothing is left out for lack of consent.
func (s *Scope) Everything() bool { return s.Type == WithoutConsent }

// Private reports whether the private data of a user is exported.
func (s *Scope) Private(u user.ID) bool { return s.Everything() || s.consenting.Has(u) }

// Nobody reports whether no private data of anybody is exported.
func (s *Scope) Nobody() bool { return !s.Everything() && len(s.consenting) == 0 }

// Readers returns the subscribers of a channel whose private data is exported because they allow it.
func (s *Scope) Readers(c channel.ID) user.Set { return s.View.Subscribers(c).And(s.consenting) }

// Channel reports whether it is exported that a channel exists, and who subscribes to it.
func (s *Scope) Channel(id channel.ID) bool {
	c := s.View.Channel(id)
	return c != nil && (!c.Private || s.Everything() || len(s.Readers(id)) > 0)
}

// Direct reports whether direct messages between some people are exported: one of them allows it.
func (s *Scope) Direct(members user.Set) bool {
	return s.Everything() || len(members.And(s.consenting)) > 0
}

// Email reports whether the e-mail address of a user is exported: administrators may see it anyway, or the user
// allows it.
func (s *Scope) Email(u *user.User) bool {
	return u.IsBot() || u.Settings.EmailAddressVisibility != user.NobodySees || s.Private(u.ID)
}

// Users returns the users with IDs above one, ascending, at most limit.
func (s *Scope) Users(after user.ID, limit int) []*user.User {
	var all []*user.User
	for u := range s.View.Users() {
		if u.ID <= after {
			continue
		}
		if all = append(all, u); len(all) == limit {
			break
		}
	}
	return all
}
