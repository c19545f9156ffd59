// Package status stores users' statuses: a short text and an emoji, kept until removed. The older setting "away" is the
// inverse of the setting presence_enabled of accounts.
//
// Table: user_statuses. Event: user_status. Ports: it uses UserSettings of accounts.
package status
