// Package typing notifies users that another user is typing a message to them. Nothing is stored.
//
// Tables: none. Events: typing, typing_edit_message.
package typing
