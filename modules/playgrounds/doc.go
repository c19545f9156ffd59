// Package playgrounds manages external web pages that run code blocks of a language.
//
// Table: playgrounds. Event: realm_playgrounds.
package playgrounds
