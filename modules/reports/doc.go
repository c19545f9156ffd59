// Package reports posts users' reports of messages to the moderation request channel.
//
// Tables: none. Ports: uses Messages and Sender.
package reports
