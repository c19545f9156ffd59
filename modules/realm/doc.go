// Package realm manages organizations: it finds them by host name, creates, deactivates and deletes them, and stores
// their settings.
//
// A table in domain/realm lists the settings: name, type, default, required role, and how clients are notified. The
// organization's record is a shared fact, so reading a setting needs no query.
//
// Ports: it provides Realms, RealmSettings and RealmStates.
//
// Tables: realms.
//
// Events: realm update, update_dict, deactivated; realm_domains add, change, remove; realm_user_settings_defaults
// update.
package realm
