// Package export describes exports of organizations: who is allowed to request one, whose data it contains, and how
// modules supply their data.
package export

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies an export on this server.
type ID int64

// Type determines how much of an organization is exported.
type Type string

// The types, as they are stored and on the wire.
const (
	Public         Type = "public"               // what all members can see
	WithConsent    Type = "full_with_consent"    // also the private data of users who consent
	WithoutConsent Type = "full_without_consent" // everything
)

// UnmarshalText reads a type, also in the formats of older clients. Errors: BadRequest.
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

// State is the progress of an export.
type State int16

// The states, as stored; never renumber.
const (
	Pending State = iota // waiting or being written
	Complete
	Failed
	Deleted
)

// Export is an archive of an organization, finished or not.
type Export struct {
	ID          ID
	Realm       realm.ID
	By          user.ID
	Type        Type
	URL         string // the URL at which By reached the organization
	Token       string // the unguessable part of the archive's path
	RequestedAt time.Time
	State       State
	EndedAt     time.Time // when it completed or failed; zero: pending
	DeletedAt   time.Time // zero: not deleted
	Size        int64     // bytes written so far
}

// Prefix begins the path of every archive, relative to the organization's URL.
const Prefix = "/exports/"

// FileName returns the file name of the archive.
func (e *Export) FileName() string {
	return "export-" + e.RequestedAt.UTC().Format("2006-01-02") + "-" + string(e.Type) + ".tar.gz"
}

// Path returns the path of the archive relative to the organization's URL.
func (e *Export) Path() string { return Prefix + e.Token + "/" + e.FileName() }

// Limits on exports.
const (
	PerPeriod   = 5 // exports of an organization per Period
	Period      = 7 * 24 * time.Hour
	MaxMessages = 250_000
	MaxBytes    = 20 << 30 // of uploaded files
)

// Size is the amount of data that an export would contain.
type Size struct {
	Messages int64
	Bytes    int64 // of uploaded files
}

// CheckType refuses types that an administrator with the given role is not allowed to export. Errors: BadRequest,
// UnauthorizedPrincipal.
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

// CheckRecent refuses another export if n, the number in the last Period, has reached the limit. Errors: BadRequest.
func CheckRecent(n int64) error {
	if n >= PerPeriod {
		return errs.Bad("At most %d exports can be made within 7 days", PerPeriod)
	}
	return nil
}

// CheckSize refuses exports that exceed the limits. Errors: BadRequest.
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

// Missing returns the error for an unknown export.
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

// Downloads reports whether an administrator with the given role is allowed to download the archive. Archives made
// without consent are for owners only.
func (e *Export) Downloads(role user.Role) bool {
	return e.State == Complete && (e.Type != WithoutConsent || role <= user.Owner)
}
