package s3

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/stoachat/stoa/domain/blob"
)

// Keys implements ports.Blobs. It holds one page of the listing in memory.
func (s *Store) Keys(ctx context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		opts := minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}
		if after != "" {
			opts.StartAfter = s.prefix + after
		}
		ctx, o, err := s.monitor.begin(ctx, "listed")
		if err != nil {
			yield(blob.Entry{}, err)
			return
		}
		defer o.end()
		for found := range s.api.ListObjectsIter(ctx, s.bucket, opts) {
			if found.Err != nil {
				yield(blob.Entry{}, o.unavailable(found.Err))
				return
			}
			key := strings.TrimPrefix(found.Key, s.prefix)
			if blob.CheckKey(key) != nil || key <= after { // folders of a file system gateway, or foreign objects
				continue
			}
			if !yield(blob.Entry{Key: key, Size: found.Size, Modified: found.LastModified}, nil) {
				return
			}
		}
	}
}

// Check implements ports.Blobs.
func (s *Store) Check(ctx context.Context) error {
	ctx, o, err := s.monitor.begin(ctx, "")
	if err != nil {
		return err
	}
	defer o.end()
	there, err := s.api.BucketExists(ctx, s.bucket)
	if err == nil && there {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("the bucket %q does not exist at %s; create it, or set adapters.blob.bucket", s.bucket, s.endpoint)
	} else {
		remedy := "see adapters.blob in the configuration"
		if minio.ToErrorResponse(err).Code == minio.AccessDenied { // what the store says of the key has no body
			remedy = "correct adapters.blob.access_key and secret_key, or allow s3:ListBucket to that key"
		}
		err = fmt.Errorf("cannot reach the bucket %q at %s: %w; %s", s.bucket, s.endpoint, o.reason(err), remedy)
	}
	return o.unavailable(err)
}

// Link implements ports.BlobLinks.
func (s *Store) Link(ctx context.Context, key string, serve blob.Serve, life time.Duration) (string, error) {
	if s.public == nil || blob.CheckKey(key) != nil {
		return "", nil // no link to an invalid key
	}
	params := url.Values{}
	for name, value := range map[string]string{
		"response-content-type": serve.Type, "response-content-disposition": serve.Disposition,
		"response-cache-control": serve.Cache,
	} {
		if value != "" {
			params.Set(name, value)
		}
	}
	ctx, o, err := s.monitor.begin(ctx, "read")
	if err != nil {
		return "", err
	}
	defer o.end() // signing may need new credentials
	u, err := s.public.PresignedGetObject(ctx, s.bucket, s.prefix+key, life, params)
	if err != nil {
		return "", o.unavailable(err)
	}
	return u.String(), nil
}
