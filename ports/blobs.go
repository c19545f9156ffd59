package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/stoachat/stoa/domain/blob"
)

// DataDir is the folder for what the server keeps on disk beside the database. It need not be there yet.
type DataDir string

// Version is the version of the running program, as stoa version prints it.
type Version string

// Blobs stores bytes under keys, on a disk or in an object store. A blob is stored whole or not at all. Blobs are not
// part of a unit of work: write the blob first, then commit the row that names its key; blobs that no row names are
// removed later. Do not reuse keys: a blob that is replaced while it is moved to another store may end up as either
// version. As in a file system, a key must not continue another one after a slash. adapter → pictures, uploads.
type Blobs interface {
	// Put stores everything that r returns, replacing what was under the key. The blob is durable when Put returns nil;
	// after an error the previous blob is unchanged. Not inside Do. Errors: BadRequest for an invalid key (blob.CheckKey);
	// TooLarge for more than limit bytes; the errors of r unchanged; Unavailable when the store cannot be reached or is
	// full.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error)
	// Open returns n bytes starting at an offset, fewer at the end of the blob, or all the rest if n is negative. Info
	// describes the whole blob. The reader returns io.ErrUnexpectedEOF when the store delivers less than it promised.
	// Errors: NotFound; BadRequest for an offset beyond the end; Unavailable.
	Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error)
	// Delete removes blobs. A key under which nothing is stored is not an error. Errors: Unavailable; some blobs may be
	// gone.
	Delete(ctx context.Context, keys ...string) error
	// Keys lists the blobs whose keys begin with prefix and sort after another key, in the byte order of their keys. Blobs
	// that are written or deleted meanwhile may or may not be listed. An error ends the list. Errors: Unavailable.
	Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error]
	// Check reports whether the store can be used. Errors: Unavailable, with the reason and the remedy as its cause.
	Check(ctx context.Context) error
}

// BlobLinks is implemented by Blobs from which clients may read directly.
type BlobLinks interface {
	// Link returns an address from which anyone can read a blob for a limited time, with the headers in serve. It returns
	// "" where clients have to read through this server. It does not check that the blob exists. Errors: Unavailable.
	Link(ctx context.Context, key string, serve blob.Serve, life time.Duration) (string, error)
}

// BlobMover is implemented by Blobs that consist of two stores.
type BlobMover interface {
	// Move moves all blobs from the old store to the new one while both are in use, and reports its progress. After an
	// error, or when ctx ends, it can be called again and goes on.
	Move(ctx context.Context, progress func(blob.Moved)) error
}
