// Package realm is the organization: its identity and its settings.
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
	MailDomain  string    `json:"mail_domain"` // of addresses that the server makes up: hidden users, system bots
	Created     time.Time `json:"created"`
	Deactivated bool      `json:"deactivated,omitempty"`
	DeleteAfter time.Time `json:"delete_after,omitzero"` // of one that is deactivated; zero: never
	Deleting    bool      `json:"deleting,omitempty"`    // that time is over: parts of it may be gone, and it does not come back
	Settings    Settings  `json:"settings"`
	Domains     []Domain  `json:"domains,omitempty"`     // of addresses that are let in
	LastDomain  int64     `json:"last_domain,omitempty"` // the highest id of a domain that there ever was

	// UserDefaults are the settings of new users; nil: as everywhere. Its language is "" as long as nobody has chosen one.
	UserDefaults *user.Settings    `json:"user_defaults,omitempty"`
	Emblems      map[Emblem]Upload `json:"emblems,omitempty"` // icon and logos that were uploaded
}

// Days of server_min_ and server_max_deactivated_realm_deletion_days; there is no maximum.
const MinDeletionDays = 14

const maxDeletionDays = 100 * 366

// Ended gives the realm deactivated, its data to be kept that many days, or for ever. Errors: BadRequest.
func (r *Realm) Ended(at time.Time, keepDays *int) (*Realm, error) {
	switch {
	case r.Deactivated:
		return nil, errs.Bad("The organization is deactivated already.")
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

// Expired gives the realm from when on its data is deleted, if its time is over and it is not so far already.
func (r *Realm) Expired(at time.Time) (*Realm, bool) {
	if !r.Deactivated || r.Deleting || r.DeleteAfter.IsZero() || at.Before(r.DeleteAfter) {
		return nil, false
	}
	now := *r
	now.Deleting = true
	return &now, true
}

// Resumed gives the realm as it was before. Errors: BadRequest.
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

// NewUserSettings gives the settings with which people begin. Their language is the realm's unless another one was
// chosen for them.
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

// WithUserDefaults gives the realm with other settings for new users, by wire name, and what has changed of them.
// Errors: BadRequest.
func (r *Realm) WithUserDefaults(asked map[string]any) (*Realm, []setting.Change, error) {
	next, changes, err := r.NewUserSettings().With(asked)
	if err != nil || len(changes) == 0 {
		return r, nil, err
	}
	if _, chosen := asked["default_language"]; !chosen && (r.UserDefaults == nil || r.UserDefaults.DefaultLanguage == "") {
		next.DefaultLanguage = ""
	}
	now := *r
	now.UserDefaults = &next
	return &now, changes, nil
}
