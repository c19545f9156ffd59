package export

import "strings"

// Page is a bounded part of a module's export.
type Page struct {
	Lines []any  // each is encoded as JSON
	Files []File // to be added to the archive
	Next  string // start of the next page; "": this is the last
}

// File is a stored blob to include in the archive.
type File struct{ Key string }

// Name returns the file's name in the archive.
func (f File) Name() string { return NameOf(f.Key) }

// NameOf returns the name in the archive of the blob under a key.
func NameOf(key string) string { return "files/" + strings.TrimPrefix(key, "/") }
