// Package moving combines two stores while blobs are moved from one to the other: it writes new blobs to one store
// and reads from both. The server keeps running, and all files stay readable, while "stoa blobs move" runs. It knows
// nothing about the stores but their ports.
//
// With several nodes, first restart all of them with the new store as moving_from of the old one, and then the other
// way round, because a node that uses only the old store cannot read what others write to the new one.
package moving

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// Stores combines two stores.
type Stores struct{ from, to ports.Blobs }

// New returns a store that combines from and to while blobs are moved from the first to the second.
func New(from, to ports.Blobs) *Stores { return &Stores{from, to} }

// Put implements ports.Blobs.
func (s *Stores) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	return s.to.Put(ctx, key, r, limit)
}

// Open implements ports.Blobs. It looks in the new store, the old one, and once more in the new one, to find blobs that
// are moved in between. Blobs that have not been moved can be read even if the new store is unreachable.
func (s *Stores) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	r, info, err := s.to.Open(ctx, key, from, n)
	if !errs.Is(err, errs.NotFound) && !errs.Is(err, errs.Unavailable) {
		return r, info, err
	}
	if r, info, old := s.from.Open(ctx, key, from, n); !errs.Is(old, errs.NotFound) {
		return r, info, old
	}
	if !errs.Is(err, errs.NotFound) {
		return nil, info, err
	}
	return s.to.Open(ctx, key, from, n)
}

// Delete implements ports.Blobs. It deletes from the old store first, because Move checks that store after copying.
func (s *Stores) Delete(ctx context.Context, keys ...string) error {
	return errors.Join(s.from.Delete(ctx, keys...), s.to.Delete(ctx, keys...))
}

// Keys implements ports.Blobs. It merges both listings and lists blobs in both stores only once.
func (s *Stores) Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		old, stop := iter.Pull2(s.from.Keys(ctx, prefix, after))
		defer stop()
		e, err, more := old()
		for n, nerr := range s.to.Keys(ctx, prefix, after) {
			for ; more && err == nil && nerr == nil && strings.Compare(e.Key, n.Key) < 0; e, err, more = old() {
				if !yield(e, nil) {
					return
				}
			}
			if more && err == nil && e.Key == n.Key {
				e, err, more = old()
			}
			if err = errors.Join(err, nerr); err != nil {
				yield(blob.Entry{}, err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
		for ; more; e, err, more = old() {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Check implements ports.Blobs.
func (s *Stores) Check(ctx context.Context) error {
	return errors.Join(s.from.Check(ctx), s.to.Check(ctx))
}

// Probe implements ports.BlobProbe.
func (s *Stores) Probe(ctx context.Context) error {
	for _, one := range []ports.Blobs{s.from, s.to} {
		if p, ok := one.(ports.BlobProbe); ok {
			if err := p.Probe(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Link implements ports.BlobLinks. During the move there are no links, since only this server looks in both stores.
func (s *Stores) Link(context.Context, string, blob.Serve, time.Duration) (string, error) {
	return "", nil
}

// Move implements ports.BlobMover.
func (s *Stores) Move(ctx context.Context, progress func(moved blob.Moved)) error {
	m, err := s.survey(ctx)
	if err != nil {
		return err
	}
	progress(m)
	for e, err := range s.from.Keys(ctx, "", "") {
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Key, blob.ProbePrefix) {
			continue
		}
		if err := s.moveOne(ctx, e.Key); err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		m.Files, m.Bytes = m.Files+1, m.Bytes+e.Size
		progress(m)
	}
	return nil
}

// errSame refuses to move blobs within one store under two names, which would delete them, or into a part of itself,
// which would never end.
var errSame = errors.New("both stores are the same, or one contains the other; name the one that has the files in " +
	"moving_from")

// survey counts the blobs to move. A blob that it writes to the new store must not appear in the old one.
func (s *Stores) survey(ctx context.Context) (m blob.Moved, err error) {
	key := blob.ProbePrefix + rand.Text()
	if _, err := s.to.Put(ctx, key, strings.NewReader(key), int64(len(key))); err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.to.Delete(context.WithoutCancel(ctx), key)) }()
	for e, err := range s.from.Keys(ctx, "", "") {
		if err != nil {
			return m, err
		}
		if strings.HasSuffix(e.Key, key) {
			return m, errSame
		}
		if strings.HasPrefix(e.Key, blob.ProbePrefix) {
			continue
		}
		m.OfFiles, m.OfBytes = m.OfFiles+1, m.OfBytes+e.Size
	}
	return m, nil
}

// moveOne copies a blob and then deletes the original, so that the blob is always in at least one of the stores.
func (s *Stores) moveOne(ctx context.Context, key string) error {
	r, info, err := s.from.Open(ctx, key, 0, -1)
	if errs.Is(err, errs.NotFound) {
		return nil // deleted since it was listed
	}
	if err != nil {
		return err
	}
	copied, err := s.to.Put(ctx, key, r, info.Size)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if copied.Size != info.Size {
		return fmt.Errorf("%d of %d bytes were copied", copied.Size, info.Size)
	}
	left, _, err := s.from.Open(ctx, key, 0, 0)
	if errs.Is(err, errs.NotFound) { // deleted meanwhile, perhaps before it was copied
		return s.to.Delete(ctx, key)
	}
	if err != nil {
		return err
	}
	return errors.Join(left.Close(), s.from.Delete(ctx, key))
}
