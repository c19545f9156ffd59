// Package reports posts reports of messages to the channel of those who moderate the organization. It uses ports.Sender
// of messages and has no table.
package reports
