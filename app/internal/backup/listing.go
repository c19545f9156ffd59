package backup

import (
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/ports"
)

// listing is a store with the files of a set, of which only the names and sizes can be read.
type listing struct {
	TarReader // of which a listing uses what refuses changes
	sizes     map[string]int64
	began     time.Time
}

// Listing returns a store with the names and sizes of the files in a set, but not their content.
func Listing(ctx context.Context, from From) (ports.Blobs, error) {
	m, err := Read(ctx, from.Place, from.Set)
	if err != nil {
		return nil, err
	}
	l := &listing{sizes: map[string]int64{}, began: m.Began}
	for f, err := range (opening{from.Identities, m.Age}).listed(ctx, from.Place, from.Set, m) {
		if err != nil {
			return nil, err
		}
		l.sizes[f.Key] = f.Size
	}
	return l, nil
}

// Open implements ports.Blobs.
func (l *listing) Open(_ context.Context, key string, _, _ int64) (io.ReadCloser, blob.Info, error) {
	size, ok := l.sizes[key]
	if !ok {
		return nil, blob.Info{}, blob.Missing()
	}
	return io.NopCloser(strings.NewReader("")), blob.Info{Size: size}, nil
}

// Keys implements ports.Blobs.
func (l *listing) Keys(_ context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(l.sizes)) {
			e := blob.Entry{Key: key, Size: l.sizes[key], Modified: l.began}
			if strings.HasPrefix(key, prefix) && key > after && !yield(e, nil) {
				return
			}
		}
	}
}
