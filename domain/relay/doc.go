// Package relay describes the data of a push relay: the servers that may use it, the keys that devices seal their
// tokens for, the registrations that it opens, and the notifications that it delivers. It can't read the
// notifications' content.
package relay
