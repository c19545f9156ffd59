// Package playgrounds manages external web pages that run code blocks of a language. They are shared facts.
//
// Table: playgrounds. Event: realm_playgrounds.
package playgrounds
