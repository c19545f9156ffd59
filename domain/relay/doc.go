// Package relay describes the data of a push relay: the servers that are allowed to use it, the keys for which devices
// seal their tokens, the registrations that it opens, and the notifications that it delivers. It can't read the
// notifications' content.
package relay
