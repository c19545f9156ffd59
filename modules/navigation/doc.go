// Package navigation keeps the views that people pin to or hide from their sidebar.
//
// Table: navigation_views. Events: navigation_view add, update, remove, to the person alone.
package navigation
