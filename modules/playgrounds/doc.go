// Package playgrounds manages the web pages on which code blocks of a language can be tried out.
//
// They are shared facts. Table: playgrounds. Event: realm_playgrounds.
package playgrounds
