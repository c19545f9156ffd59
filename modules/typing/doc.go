// Package typing notifies users that another user is typing a message to them. Nothing is stored.
//
// Tables: none. Event: typing.
package typing
