// Package reports posts users' reports of messages to the moderation request channel. The number of reports by a user
// and of a message is limited (message.Report), so that moderators are not flooded.
//
// Tables: message_reports, with the reports of the last day. Ports: uses Messages and Sender.
package reports
