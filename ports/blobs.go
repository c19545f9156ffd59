package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/blob"
)

// DataDir is the folder for what the server keeps on disk beside the database. It need not be there yet.
type DataDir string

// Blobs stores bytes under keys, on a disk or in an object store: whole, or not at all. It is no part of a unit of work: write
// first, then commit the row that names the key; what no row names is removed later. adapter → pictures.
type Blobs interface {
	// Put stores what r gives up to its end, in place of what was under the key. When it returns nil it is durable. Not inside
	// Do. Errors: BadRequest for what is no key (blob.CheckKey); TooLarge for more than limit bytes; those of r as they are;
	// Unavailable when the store can't be reached. After an error what was there before is there.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error)
	// Open gives n bytes from an offset on, or as many as there are, all if n is negative; Info is of the whole. The reader
	// gives io.ErrUnexpectedEOF when the store does not give what it has promised. Errors: NotFound; BadRequest for an offset
	// beyond the end; Unavailable.
	Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error)
	// Delete removes what is under the keys; one that is not there is no error. Errors: Unavailable; some may be gone then.
	Delete(ctx context.Context, keys ...string) error
}
