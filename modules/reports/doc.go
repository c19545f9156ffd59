// Package reports posts users' reports of messages to the moderation request channel.
//
// Tables: none. Ports: it uses Sender of messages.
package reports
