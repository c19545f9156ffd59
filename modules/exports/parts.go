package exports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/ports"
)

// part is a blob that stores a part of an archive.
type part struct {
	Key  string
	Size int64 // bytes
}

// opener returns a kit.Download.Open function that reads from the concatenated parts.
func opener(blobs ports.Blobs, parts []part) func(ctx context.Context, from, n int64) (io.ReadCloser, error) {
	return func(ctx context.Context, from, n int64) (io.ReadCloser, error) {
		for len(parts) > 0 && from >= parts[0].Size {
			from, parts = from-parts[0].Size, parts[1:]
		}
		r := &reader{ctx: ctx, blobs: blobs, parts: parts}
		if len(parts) > 0 && n > 0 {
			if err := r.next(from); err != nil {
				return nil, err
			}
		}
		return limited{io.LimitReader(r, n), r}, nil
	}
}

type limited struct {
	io.Reader
	io.Closer
}

// reader is a reader of concatenated parts.
type reader struct {
	ctx   context.Context
	blobs ports.Blobs
	parts []part // not opened yet
	open  io.ReadCloser
}

// next opens the next part at an offset. opener calls it for the first part, so that an error is returned before the
// response begins.
func (r *reader) next(from int64) error {
	p := r.parts[0]
	open, _, err := r.blobs.Open(r.ctx, p.Key, from, -1)
	if err != nil {
		return err
	}
	r.open = struct {
		io.Reader
		io.Closer
	}{blob.Exactly(open, p.Size-from), open}
	r.parts = r.parts[1:]
	return nil
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.open == nil {
			if len(r.parts) == 0 {
				return 0, io.EOF
			}
			if err := r.next(0); err != nil {
				return 0, err
			}
		}
		n, err := r.open.Read(p)
		if err != io.EOF { // readers must not wrap it
			return n, err
		}
		if err := r.Close(); err != nil || n > 0 {
			return n, err
		}
	}
}

// Close closes the current part.
func (r *reader) Close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}
