// Package alertwords stores users' alert words. They are shared facts: when a message is sent, the module messages
// matches it against the words of all users at once and sets the flag has_alert_word for users whose words it contains.
// This module maintains the slot alertword.Shared of the view.
//
// Table: alert_words. Event: alert_words, sent only to the user.
package alertwords
