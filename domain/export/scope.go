package export

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Scope decides what an export contains. Modules consult it for everything they export.
type Scope struct {
	View  *directory.View
	Type  Type
	Until time.Time // later messages are left out

	consenting user.Set
}

// ScopeOf returns the scope for the organization's current state. It is computed per page, so that a withdrawal of
// consent applies to the rest of an archive that is being written.
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

// Consents reports whether a user allows the export of their private data. Bots cannot consent.
func Consents(u *user.User) bool { return !u.IsBot() && u.Settings.AllowPrivateDataExport }

// Everything reports whether the export is independent of consent.
func (s *Scope) Everything() bool { return s.Type == WithoutConsent }

// Private reports whether a user's private data is exported.
func (s *Scope) Private(u user.ID) bool { return s.Everything() || s.consenting.Has(u) }

// NobodyConsents reports whether no user's private data is exported.
func (s *Scope) NobodyConsents() bool { return !s.Everything() && len(s.consenting) == 0 }

// Readers returns the subscribers of a channel who consent to the export of their private data.
func (s *Scope) Readers(c channel.ID) user.Set { return s.View.Subscribers(c).And(s.consenting) }

// Channel reports whether the existence and the subscribers of a channel are exported.
func (s *Scope) Channel(id channel.ID) bool {
	c := s.View.Channel(id)
	return c != nil && (!c.Private || s.Everything() || len(s.Readers(id)) > 0)
}

// Direct reports whether direct messages between the given users are exported: one consenting participant suffices.
func (s *Scope) Direct(members user.Set) bool {
	return s.Everything() || len(members.And(s.consenting)) > 0
}

// Email reports whether a user's email address is exported: if administrators can see it anyway, or the user
// consents.
func (s *Scope) Email(u *user.User) bool {
	return u.IsBot() || u.Settings.EmailAddressVisibility != user.NobodySees || s.Private(u.ID)
}

// Users returns up to limit users with IDs above after, ascending.
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
