// Package calls creates video calls on external services. Only BigBlueButton is supported, if the server's
// configuration names one; clients get the documented error for all other services instead of a missing route. Calls
// with Jitsi or a URL template need no route: clients build their URLs.
//
// A call with BigBlueButton is a link to this server that contains the sealed facts of the meeting: its ID, its name
// and its moderator. Opening the link creates the meeting, unless it is in progress, and redirects to it. Nothing is
// stored, so a link works as long as the server's secret. It works only for users of the organization in which it was
// created.
//
// The package has no tables and no events. It uses the port Webhooks to call BigBlueButton, and answers
// realm.OffersBigBlueButton.
package calls
