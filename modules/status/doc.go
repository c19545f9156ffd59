// Package status keeps what people say they are doing: a few words and an emoji, until they are removed. The older
// setting "away" is the inverse of the setting presence_enabled of accounts.
//
// It uses ports.UserSettings of accounts. Table: user_statuses. Event: user_status.
package status
