// Package mutes lets users mute other users.
//
// Muting marks as read what the user has unread of the muted user, and keeps later messages read when they arrive.
// Unmuting restores nothing: messages that arrived meanwhile stay read. A user can mute every user whom they see,
// except themselves; the muted user is not notified.
//
// The module messages decides what is unread from the mutes in the directory view, so it works with or without this
// module. Because mutes was once a part of messages, a configuration that lists messages runs mutes too.
//
// Table: user_mutes. Event: muted_users, to the user only, with the whole list. Register: muted_users. Port: it needs
// ReadStates.
package mutes
