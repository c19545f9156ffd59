package server

import (
	"context"
	"iter"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// BlobReport receives the differences between the database and the store of files.
type BlobReport struct {
	Missing func(key string)   // the database refers to a file that does not exist
	Unnamed func(e blob.Entry) // the store has a file to which nothing refers
}

// CompareBlobs compares the files that the database refers to with those in the store, and returns how many files there
// are. It reads both lists in key order, so memory use is bounded.
func (s *Server) CompareBlobs(ctx context.Context, r BlobReport) (files int, err error) {
	b := s.Ports.Blobs
	next, stop := iter.Pull2(s.ReferencedBlobs(ctx))
	defer stop()
	row, err, more := next()
	for e, storeErr := range b.Keys(ctx, "", "") {
		if storeErr != nil {
			return files, storeErr
		}
		files++
		for ; more && err == nil && row.Key < e.Key; row, err, more = next() {
			if err := checkMissing(ctx, b, row, r); err != nil {
				return files, err
			}
		}
		if err != nil {
			return files, err
		}
		if more && row.Key == e.Key {
			row, err, more = next()
			continue
		}
		r.Unnamed(e)
	}
	for ; more && err == nil; row, err, more = next() {
		if err := checkMissing(ctx, b, row, r); err != nil {
			return files, err
		}
	}
	return files, err
}

// checkMissing opens a file missing from the listing, in case it was added meanwhile.
func checkMissing(ctx context.Context, b ports.Blobs, row kit.BlobKey, r BlobReport) error {
	if row.Optional {
		return nil
	}
	body, _, err := b.Open(ctx, row.Key, 0, 0)
	if errs.Is(err, errs.NotFound) {
		r.Missing(row.Key)
		return nil
	}
	if err != nil {
		return err
	}
	return body.Close()
}
