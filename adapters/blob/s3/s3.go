// Package s3 stores blobs as objects in a bucket. The store may be unreachable when the server starts and at any
// time later, or may not respond; only operations that need it fail, after Config.Timeout without progress. A crash can
// leave incomplete multipart uploads, so give the bucket a lifecycle rule that aborts them.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
)

// part is the size of an upload's parts, in bytes: the minimum that S3 allows. Smaller uploads are sent in one piece.
const part = 5 << 20

// Store stores blobs in a bucket.
type Store struct {
	api            minio.Core
	monitor        *monitor
	public         *minio.Client // signs URLs for clients; nil if they read through this server
	bucket, prefix string
	endpoint       string // for error messages
	stored         minio.PutObjectOptions
}

// New returns the store of blobs in a bucket. It does not contact the store.
func New(c Config) (*Store, error) {
	api, err := dial(c, c.Endpoint)
	if err != nil {
		return nil, err
	}
	stored, err := c.stored()
	if err != nil {
		return nil, err
	}
	s := &Store{
		api: minio.Core{Client: api}, monitor: &monitor{limit: c.Timeout, store: "the store at " + c.Endpoint},
		bucket: c.Bucket, prefix: c.Prefix, endpoint: c.Endpoint, stored: stored,
	}
	s.monitor.failures.Store(1)
	if c.Redirect {
		s.public, err = dial(c, cmp.Or(c.PublicEndpoint, c.Endpoint))
	}
	return s, err
}

func dial(c Config, endpoint string) (*minio.Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	creds := credentials.NewStaticV4(string(c.AccessKey), string(c.SecretKey), "")
	if c.AccessKey == "" {
		creds = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}})
	}
	lookup := minio.BucketLookupDNS
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	secure := u.Scheme == "https"
	via, err := newTransport(secure, c.Timeout)
	if err != nil {
		return nil, err
	}
	return minio.New(u.Host, &minio.Options{
		Creds: creds, Secure: secure, Transport: via, Region: c.Region, BucketLookup: lookup, MaxRetries: c.Tries,
	})
}

// Put implements ports.Blobs.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, err
	}
	ctx, o, err := s.monitor.begin(ctx, "stored")
	if err != nil {
		return blob.Info{}, err
	}
	defer o.end()
	src := &source{r: blob.Limited(r, limit)}
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(src, part))
	if src.err != nil {
		return blob.Info{}, src.err
	}
	if err != nil {
		return blob.Info{}, err
	}
	var up minio.UploadInfo
	if size := n; n < part {
		up, err = s.api.Client.PutObject(ctx, s.bucket, s.prefix+key, bytes.NewReader(head.Bytes()), size, s.stored)
	} else {
		up, err = s.api.Client.PutObject(ctx, s.bucket, s.prefix+key, io.MultiReader(&head, src), -1, s.stored)
	}
	switch {
	case src.err != nil:
		return blob.Info{}, src.err
	case err != nil:
		return blob.Info{}, o.unavailable(err)
	case up.Size != src.read:
		return blob.Info{}, o.unavailable(errors.New("the store has " + strconv.FormatInt(up.Size, 10) + " bytes of " +
			strconv.FormatInt(src.read, 10)))
	}
	return blob.Info{Size: up.Size}, nil
}

// source counts the bytes read, and records read errors, which the library must not mistake for the end.
type source struct {
	r    io.Reader
	read int64
	err  error
}

var errBroken = errors.New("the source is broken")

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err, err = err, errBroken
	}
	return n, err
}

// Open implements ports.Blobs. It waits for the first bytes, so that callers learn in time that the store hangs.
func (s *Store) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	if blob.CheckKey(key) != nil {
		return nil, blob.Info{}, blob.Missing()
	}
	ctx, o, err := s.monitor.begin(ctx, "read")
	if err != nil {
		return nil, blob.Info{}, err
	}
	r, info, err := s.open(ctx, o, key, from, n)
	if err != nil {
		o.end()
	}
	return r, info, err
}

func (s *Store) open(ctx context.Context, o *operation, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	var opts minio.GetObjectOptions
	var info blob.Info
	length := int64(-1)
	if from != 0 || n >= 0 {
		stat, err := s.api.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
		if err != nil {
			return nil, blob.Info{}, o.missing(err)
		}
		info.Size = stat.Size
		if length, err = blob.Span(stat.Size, from, n); err != nil {
			return nil, blob.Info{}, err
		}
		if length == 0 {
			o.end()
			return io.NopCloser(strings.NewReader("")), info, nil
		}
		if err := errors.Join(opts.SetRange(from, from+length-1), opts.SetMatchETag(stat.ETag)); err != nil {
			return nil, blob.Info{}, err
		}
	}
	body, got, _, err := s.api.GetObject(ctx, s.bucket, s.prefix+key, opts)
	if err != nil {
		return nil, blob.Info{}, o.missing(err)
	}
	if length < 0 {
		info.Size, length = got.Size, got.Size
	}
	r := &object{body: body, o: o}
	if length > 0 {
		if err := r.begin(); err != nil {
			_ = body.Close()
			return nil, blob.Info{}, o.unavailable(err)
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{blob.Exactly(r, length), r}, info, nil
}

// Delete implements ports.Blobs.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	names := make(chan minio.ObjectInfo, len(keys))
	for _, key := range keys {
		if blob.CheckKey(key) == nil {
			names <- minio.ObjectInfo{Key: s.prefix + key}
		}
	}
	close(names)
	ctx, o, err := s.monitor.begin(ctx, "deleted")
	if err != nil {
		return err
	}
	defer o.end()
	var all []error
	for e := range s.api.RemoveObjects(ctx, s.bucket, names, minio.RemoveObjectsOptions{}) {
		all = append(all, e.Err)
	}
	return o.unavailable(errors.Join(all...))
}

func (o *operation) missing(err error) error {
	if e := minio.ToErrorResponse(err); e.Code == minio.NoSuchKey || e.StatusCode == http.StatusNotFound && e.Code == "" {
		return blob.Missing()
	}
	return o.unavailable(err)
}

// unavailable returns the error for a failure of the store or the connection. If the caller's context has ended, it
// returns that context's error.
func (o *operation) unavailable(err error) error {
	if err == nil {
		return nil
	}
	if o.caller.Err() != nil {
		return o.caller.Err()
	}
	var answer minio.ErrorResponse
	if o.what != "" && errors.As(err, &answer) && answer.Code == minio.AccessDenied {
		err = refusal(o.what, err)
	}
	return o.m.unavailable(o.reason(err))
}

func (m *monitor) unavailable(err error) error {
	m.failures.Add(1)
	return errs.New(errs.Unavailable, "Files can't be stored or read at the moment; please try again.").
		Because(fmt.Errorf("%s: %w", m.store, err))
}
