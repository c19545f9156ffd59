// Package navigation stores the views that users pin to or hide from their sidebar.
//
// Table: navigation_views. Events: navigation_view add, update, remove, sent only to the user.
package navigation
