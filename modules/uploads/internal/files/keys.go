package files

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

// NamedBlobs declares the keys of all blobs that store uploaded files and their thumbnails.
func (s *Service) NamedBlobs() []kit.BlobKeys {
	return []kit.BlobKeys{{Prefix: "thumbnails/", List: s.thumbnailKeys}, {Prefix: "uploads/", List: s.keys}}
}

// keys lists the keys of files, and of blobs that are being uploaded or removed.
func (s *Service) keys(ctx context.Context, after string, limit int) ([]kit.BlobKey, error) {
	named, err := s.Store.Keys(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	recorded, err := s.Store.RecordedKeys(ctx, max(after, "uploads/"), limit)
	if err != nil {
		return nil, err
	}
	var all []kit.BlobKey
	for i := range named {
		all = append(all, kit.BlobKey{Key: named[i].Key})
	}
	for _, k := range recorded {
		if strings.HasPrefix(k, "uploads/") {
			all = append(all, kit.BlobKey{Key: k, Optional: true})
		}
	}
	slices.SortFunc(all, func(a, b kit.BlobKey) int { return cmp.Compare(a.Key, b.Key) })
	return all[:min(len(all), limit)], nil
}

// thumbnailKeys lists the keys of thumbnails.
func (s *Service) thumbnailKeys(ctx context.Context, after string, limit int) ([]kit.BlobKey, error) {
	if rest, ok := strings.CutPrefix(after, "thumbnails/"); ok {
		after = "uploads/" + rest[:max(0, strings.LastIndexByte(rest, '/'))]
	} else {
		after = ""
	}
	var all []kit.BlobKey
	for len(all) == 0 { // files other than images have no thumbnails
		named, err := s.Store.Keys(ctx, after, limit/len(upload.Formats()))
		if err != nil || len(named) == 0 {
			return nil, err
		}
		for i := range named {
			ready := named[i].Image.Thumbnail == upload.ThumbnailReady
			for _, k := range upload.ThumbnailKeys(&named[i]) {
				all = append(all, kit.BlobKey{Key: k, Optional: !ready})
			}
		}
		after = named[len(named)-1].Key
	}
	slices.SortFunc(all, func(a, b kit.BlobKey) int { return cmp.Compare(a.Key, b.Key) })
	return all, nil
}
