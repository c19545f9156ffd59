// Package typing tells people that somebody is writing to them, or is editing a message. Nothing is stored: it is of no
// interest who was writing a minute ago. Events: typing, typing_edit_message.
package typing
