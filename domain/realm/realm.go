// Package realm describes an organization: its identity and its settings.
package realm

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a realm on this server.
type ID = ids.Realm

// Realm is one organization.
type Realm struct {
	ID          ID        `json:"id"`
	StringID    string    `json:"string_id"` // the subdomain; "" for the root realm
	UUID        string    `json:"uuid"`
	MailDomain  string    `json:"mail_domain"` // domain of generated addresses: hidden users, system bots
	Created     time.Time `json:"created"`
	Deactivated bool      `json:"deactivated,omitempty"`
	DeleteAfter time.Time `json:"delete_after,omitzero"` // when a deactivated realm is deleted; zero: never
	// deletion has begun: parts may be gone, and it can't be reactivated
	Deleting   bool     `json:"deleting,omitempty"`
	Settings   Settings `json:"settings"`
	Domains    []Domain `json:"domains,omitempty"`     // allowed email domains
	LastDomain int64    `json:"last_domain,omitempty"` // the highest domain ID ever used

	// UserDefaults are the settings of new users; nil: the server's. Its language is "" until one is chosen.
	UserDefaults *user.Settings    `json:"user_defaults,omitempty"`
	Emblems      map[Emblem]Upload `json:"emblems,omitempty"` // uploaded icon and logos
}

// MinDeletionDays is server_min_deactivated_realm_deletion_days; the API has no maximum.
const MinDeletionDays = 14

const maxDeletionDays = 100 * 366

// Ended returns the realm as deactivated. Its data is kept for keepDays days, or forever if keepDays is nil. Errors:
// BadRequest.
func (r *Realm) Ended(at time.Time, keepDays *int) (*Realm, error) {
	switch {
	case r.Deactivated:
		return nil, errs.Bad("The organization has already been deactivated.")
	case keepDays != nil && *keepDays < MinDeletionDays:
		return nil, errs.Bad("Data deletion time must be at least %d days in the future.", MinDeletionDays)
	case keepDays != nil && *keepDays > maxDeletionDays:
		return nil, errs.Bad("Data deletion time is too far in the future.")
	}
	now := *r
	if now.Deactivated = true; keepDays != nil {
		now.DeleteAfter = at.AddDate(0, 0, *keepDays)
	}
	return &now, nil
}

// Expired returns the realm marked for deletion, if it is due and not marked yet.
func (r *Realm) Expired(at time.Time) (*Realm, bool) {
	if !r.Deactivated || r.Deleting || r.DeleteAfter.IsZero() || at.Before(r.DeleteAfter) {
		return nil, false
	}
	now := *r
	now.Deleting = true
	return &now, true
}

// Doomed returns a deactivated realm marked for deletion. Errors: PermissionDenied if it is active; BadRequest if it is
// already being deleted.
func (r *Realm) Doomed(at time.Time) (*Realm, error) {
	switch {
	case !r.Deactivated:
		return nil, errs.New(errs.PermissionDenied, "The organization is active; deactivate it first.")
	case r.Deleting:
		return nil, errs.Bad("The organization's data is being deleted.")
	}
	now := *r
	now.Deleting, now.DeleteAfter = true, at
	return &now, nil
}

// Resumed returns the realm as reactivated. Errors: BadRequest.
func (r *Realm) Resumed() (*Realm, error) {
	switch {
	case !r.Deactivated:
		return nil, errs.Bad("The organization is not deactivated.")
	case r.Deleting:
		return nil, errs.Bad("The organization's data is being deleted.")
	}
	now := *r
	now.Deactivated, now.DeleteAfter = false, time.Time{}
	return &now, nil
}

// NewUserSettings returns the settings of new users. Their language is the realm's unless another default was chosen.
func (r *Realm) NewUserSettings() user.Settings {
	s := user.Defaults()
	s.DefaultLanguage = ""
	if r.UserDefaults != nil {
		s = *r.UserDefaults
	}
	if s.DefaultLanguage == "" {
		s.DefaultLanguage = r.Settings.DefaultLanguage
	}
	return s
}

// WithUserDefaults returns the realm with changed settings for new users, given by wire name, and the changes.
// Errors: BadRequest.
func (r *Realm) WithUserDefaults(values map[string]any) (*Realm, []setting.Change, error) {
	next, changes, err := r.NewUserSettings().With(values)
	if err != nil || len(changes) == 0 {
		return r, nil, err
	}
	_, chosen := values["default_language"]
	if !chosen && (r.UserDefaults == nil || r.UserDefaults.DefaultLanguage == "") {
		next.DefaultLanguage = ""
	}
	now := *r
	now.UserDefaults = &next
	return &now, changes, nil
}
