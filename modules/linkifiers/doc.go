// Package linkifiers manages the patterns that turn text into links in an organization's messages and topics. They are
// shared facts, which the renderer applies in order. This module maintains the slot linkifier.Shared of the view.
// Patterns are RE2 expressions of bounded size, so that matching takes linear time; templates produce http, https and
// mailto addresses only.
//
// Table: linkifiers. Event: realm_linkifiers.
package linkifiers
