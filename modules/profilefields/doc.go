// Package profilefields manages an organization's custom profile fields and their values.
//
// Tables: profile_fields, user_profiles. Event: custom_profile_fields; values are sent as realm_user update.
//
// Ports: it uses UserUpdates of accounts. The module accounts includes the values in users' records.
package profilefields
