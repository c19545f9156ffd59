// Package configs embeds the shipped configurations. README.md lists all keys.
package configs

import "embed"

//go:embed *.yaml
var files embed.FS

// Local returns the default configuration: SQLite in the data directory.
func Local() string {
	b, _ := files.ReadFile("local.yaml") // embedded, so it cannot fail
	return string(b)
}
