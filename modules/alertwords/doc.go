// Package alertwords keeps the words that people want to be alerted to.
//
// The words are shared facts of the organization's view: when a message is sent, the module messages matches it against
// all of them at once and sets the flag has_alert_word for whom it concerns.
//
// Table: alert_words. Event: alert_words, to the person alone.
package alertwords
