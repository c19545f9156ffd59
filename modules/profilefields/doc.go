// Package profilefields manages the custom profile fields of an organization, and what people enter there.
//
// It uses ports.UserUpdates of accounts, which shows the values in people's records.
// Tables: profile_fields, user_profiles. Event: custom_profile_fields; values arrive as realm_user update.
package profilefields
