// Package realm manages organizations: how they are found by host name, created, deactivated and deleted, and their
// settings.
//
// Settings are rows of a table in domain/realm: name, type, default, who may change it, and how clients are told. The
// organization's record is a shared fact, so that every decision reads it without a query.
//
// Ports: it provides Realms, RealmSettings, RealmStates and Emblems.
// Table: realms. Events: realm update, update_dict, deactivated; realm_domains add, change, remove;
// realm_user_settings_defaults update.
package realm
