// Package mutes lets users mute other users.
//
// Muting a user marks the muted user's unread messages as read, and later messages arrive as read. Unmuting does not
// make them unread again. Users can mute every user whom they can see, except themselves. The muted user is not
// notified.
//
// The module messages reads the mutes from the directory view to determine which messages are unread, so it works with
// or without this module. Because mutes was once part of messages, a configuration that lists messages also runs mutes.
//
// Table: user_mutes. Event: muted_users, sent only to the user, with the whole list. Register: muted_users. Port: uses
// ReadStates.
package mutes
