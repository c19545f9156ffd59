// Package export is exports of organizations: who may have one, whose data is in it, and how modules hand over their
// part.
package export

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies an export on this server.
type ID int64

// Type says how much of an organization is exported.
type Type string

// The types, as they are stored and on the wire.
const (
	Public         Type = "public"               // what all members can see
	WithConsent    Type = "full_with_consent"    // and the private data of people who allow it
	WithoutConsent Type = "full_without_consent" // everything
)

// UnmarshalText reads a type, also as older clients write it. Errors: BadRequest.
func (t *Type) UnmarshalText(b []byte) error {
	switch text := string(b); text {
	case "public", `"public"`, "1":
		*t = Public
	case "full_with_consent", `"full_with_consent"`, "2":
		*t = WithConsent
	case "full_without_consent", `"full_without_consent"`:
		*t = WithoutConsent
	default:
		return errs.Bad("Invalid export_type")
	}
	return nil
}

// State says how far an export is.
type State int16

// The states, as stored; never renumber.
const (
	Pending State = iota // waiting, or being written
	Complete
	Failed
	Deleted
)

// Export is an archive of an organization, or one that is being written.
type Export struct {
	ID          ID
	Realm       realm.ID
	By          user.ID
	Type        Type
	URL         string // where By reached the organization
	Token       string // the unguessable part of its address
	RequestedAt time.Time
	State       State
	EndedAt     time.Time // when it was completed or has failed; zero: it is pending
	DeletedAt   time.Time // zero: never
	Size        int64     // bytes written so far
}

// Prefix begins the address of every archive, relative to the organization's URL.
const Prefix = "/exports/"

// FileName returns the name under which the archive is saved.
func (e *Export) FileName() string {
	return "export-" + e.RequestedAt.UTC().Format("2006-01-02") + "-" + string(e.Type) + ".tar.gz"
}

// Path returns the address of the archive relative to the organization's URL.
func (e *Export) Path() string { return Prefix + e.Token + "/" + e.FileName() }

// The limits.
const (
	PerPeriod   = 5 // exports of an organization
	Period      = 7 * 24 * time.Hour
	MaxMessages = 250_000
	MaxBytes    = 20 << 30 // of uploaded files
)

// Size says how much an export would have to hold.
type Size struct {
	Messages int64
	Bytes    int64 // of uploaded files
}

// CheckType refuses a type to somebody, who is an administrator. Errors: BadRequest, UnauthorizedPrincipal.
func CheckType(t Type, s *realm.Settings, role user.Role) error {
	switch {
	case t != WithoutConsent:
		return nil
	case !s.OwnerFullContentAccess:
		return errs.Bad("This organization does not allow exports of private data without the consent of its users")
	case role > user.Owner:
		return errs.New(errs.UnauthorizedPrincipal, "Must be an organization owner")
	}
	return nil
}

// CheckRecent refuses a further export after so many in the last Period. Errors: BadRequest.
func CheckRecent(n int64) error {
	if n >= PerPeriod {
		return errs.Bad("At most %d exports can be made within 7 days", PerPeriod)
	}
	return nil
}

// CheckSize refuses to export more than an archive may hold. Errors: BadRequest.
func CheckSize(s Size) error {
	if s.Messages > MaxMessages || s.Bytes > MaxBytes {
		return errs.Bad(
			"The organization is too large to be exported here: at most %d messages and %d GiB of files can be. "+
				"Please ask the administrators of this server.",
			MaxMessages,
			int64(MaxBytes>>30),
		)
	}
	return nil
}

// Missing is the answer for an export that does not exist.
func Missing() error { return errs.Bad("Invalid export ID") }

// CheckDelete refuses to delete an export that has no archive. Errors: BadRequest.
func (e *Export) CheckDelete() error {
	switch e.State {
	case Pending:
		return errs.Bad("The export is still being written")
	case Failed:
		return errs.Bad("The export has failed; there is nothing to delete")
	case Deleted:
		return errs.Bad("The export has already been deleted")
	}
	return nil
}

// Downloads reports whether somebody, who is an administrator, may read the archive: what was exported without
// consent is for owners.
func (e *Export) Downloads(role user.Role) bool {
	return e.State == Complete && (e.Type != WithoutConsent || role <= user.Owner)
}
