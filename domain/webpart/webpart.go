// Package webpart describes parts of the web client that modules add while the server runs.
package webpart

import "github.com/stoachat/stoa/domain/realm"

// Folder is the URL path below which installed parts are served. The client accepts no others.
const Folder = "/static/web/modules/installed"

// Installed is a question: which parts of the client has a realm besides those of the server's modules?
type Installed struct{ Realm realm.ID }

// Part is a module's part of the client.
type Part struct {
	Name   string `json:"name"`
	Script string `json:"script"` // URL paths
	Style  string `json:"style,omitempty"`
}
