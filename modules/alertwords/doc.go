// Package alertwords keeps the words about which users want to be alerted. They are shared facts: when a message is
// sent, the module messages matches it against the words of all users together and sets the flag has_alert_word for
// users whose words it contains. This module keeps the slot alertword.Shared of the view.
//
// Table: alert_words. Event: alert_words, to the user only.
package alertwords
