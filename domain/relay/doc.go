// Package relay is what a push relay knows: the servers that may use it, the keys that devices seal their tokens for,
// the registrations that it opens, and the notifications that it delivers. It never sees what a notification says.
package relay
