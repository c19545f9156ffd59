package export

import "strings"

// Page is a bounded piece of what a module exports.
type Page struct {
	Lines []any  // each is encoded as JSON
	Files []File // to be added to the archive
	Next  string // where the next page begins; "": there is none
}

// File is a stored blob that is part of an archive.
type File struct{ Key string }

// Name returns the name of the file in the archive.
func (f File) Name() string { return NameOf(f.Key) }

// NameOf returns the name in the archive of the blob with a key.
func NameOf(key string) string { return "files/" + strings.TrimPrefix(key, "/") }
