// Package configs holds the configurations that are shipped. README.md lists every key.
package configs

import "embed"

//go:embed *.yaml
var files embed.FS

// Local is the configuration of a server that was given none: SQLite in the data directory.
func Local() string {
	b, _ := files.ReadFile("local.yaml") // embedded: it is there
	return string(b)
}
