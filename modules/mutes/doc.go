// Package mutes lets users mute other users.
//
// Muting a user marks their unread messages as read, and their later messages arrive as read. Unmuting restores
// nothing: messages that have arrived in the meantime stay read. Users can mute everyone they can see except
// themselves. The muted user is not notified.
//
// The module messages reads the mutes from the directory view to decide which messages are unread, so it works with or
// without this module. Because mutes was once a part of messages, a configuration that lists messages runs mutes too.
//
// Table: user_mutes. Event: muted_users, to the user only, with the whole list. Register: muted_users. Port: uses
// ReadStates.
package mutes
