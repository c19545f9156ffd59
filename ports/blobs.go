package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/stoachat/stoa/domain/blob"
)

// DataDir is the directory for the files that the server keeps outside the database. It need not exist yet.
type DataDir string

// Version is the version of the running program, as printed by "stoa version".
type Version string

// Blobs stores bytes under keys, on a disk or in an object store. A blob is stored completely or not at all. Blobs are
// not part of a unit of work: write the blob first, then commit the row that names its key; blobs without a row are
// removed later. Do not reuse keys: a blob that is replaced while it is being moved to another store may end up as
// either version. A key must not be a directory of another key (a and a/b), because file systems cannot store both.
// adapter → pictures, uploads. It isolates disks and object stores.
type Blobs interface {
	// Put stores everything that r returns, replacing any blob under the key. The blob is durable when Put returns
	// nil; after an error the previous blob is unchanged. Not inside Do. Errors: BadRequest for an invalid key
	// (blob.CheckKey); TooLarge for more than limit bytes; the errors of r unchanged; Unavailable when the store is
	// unreachable or full.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error)
	// Open returns a reader of at most n bytes from an offset, or of the rest of the blob if n is negative. Info
	// describes the whole blob. The reader fails with io.ErrUnexpectedEOF if the store delivers fewer bytes than
	// announced. Errors: NotFound; BadRequest for an offset beyond the end; Unavailable.
	Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error)
	// Delete removes blobs. Keys without a blob are ignored. Errors: Unavailable; some blobs may have been deleted.
	Delete(ctx context.Context, keys ...string) error
	// Keys lists, in byte order, the blobs whose keys begin with prefix and sort after a given key. Blobs that are
	// written or deleted during the listing may or may not appear. An error ends the list. Errors: Unavailable.
	Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error]
	// Check reports whether the store is usable. Errors: Unavailable, with the reason and the remedy as its cause.
	Check(ctx context.Context) error
}

// BlobLinks is implemented by Blobs from which clients can fetch directly. It isolates what only object stores can do.
type BlobLinks interface {
	// Link returns a URL at which anyone can fetch a blob, with the headers in serve, for a limited time. It returns ""
	// if clients have to fetch the blob through this server. It does not check that the blob exists. Errors:
	// Unavailable.
	Link(ctx context.Context, key string, serve blob.Serve, life time.Duration) (string, error)
}

// BlobProbe is implemented by Blobs that may refuse what the server does. It isolates what only object stores can do.
type BlobProbe interface {
	// Probe stores a blob, reads and deletes it. Errors: *blob.RefusedError.
	Probe(ctx context.Context) error
}

// BlobMover is implemented by Blobs that combine an old and a new store. It isolates the combination of two stores.
type BlobMover interface {
	// Move moves all blobs from the old store to the new one while both are in use, and reports its progress. After
	// an error, or after ctx ends, calling it again continues the move.
	Move(ctx context.Context, progress func(blob.Moved)) error
}
