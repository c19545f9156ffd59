package images

import (
	"context"

	"github.com/stoachat/stoa/modules/kit"
)

// keys lists the blobs of all images. Blobs of unclaimed images may be missing, since they are about to be written or
// deleted.
func (s *service) keys(ctx context.Context, after string, limit int) ([]kit.BlobKey, error) {
	rows, err := s.rows.Keys(ctx, after, limit)
	all := make([]kit.BlobKey, len(rows))
	for i, r := range rows {
		all[i] = kit.BlobKey{Key: r.Key, Optional: r.State != claimed}
	}
	return all, err
}
