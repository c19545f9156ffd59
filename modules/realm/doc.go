// Package realm manages organizations: finding them by host name, creating, deactivating and deleting them, and their
// settings.
//
// Settings are rows of a table in domain/realm: name, type, default, who may change it, and how clients are notified.
// The organization's record is a shared fact, so decisions read it without a query.
//
// Ports: it provides Realms, RealmSettings, RealmStates and Emblems.
//
// Tables: realms.
//
// Events: realm update, update_dict, deactivated; realm_domains add, change, remove; realm_user_settings_defaults
// update.
package realm
