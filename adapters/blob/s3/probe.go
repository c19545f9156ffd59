package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/stoachat/stoa/domain/blob"
)

// Probe implements ports.BlobProbe.
func (s *Store) Probe(ctx context.Context) error {
	key, content := blob.ProbePrefix+rand.Text(), rand.Text()
	if _, err := s.Put(ctx, key, strings.NewReader(content), int64(len(content))); err != nil {
		return s.refusal("stored", err)
	}
	got, err := s.readProbe(ctx, key)
	deleted := s.Delete(ctx, key)
	switch {
	case err != nil:
		return s.refusal("read", err)
	case got != content:
		return &blob.RefusedError{
			Text:   "an object that was stored is read with other content" + s.where(),
			Remedy: "use another store: this one loses data",
		}
	case deleted != nil:
		return s.refusal("deleted", deleted)
	}
	return nil
}

// Health is the health check. It asks whether the bucket exists; the first time, and after an operation has failed, it
// also probes, so that nothing is written while everything works. Errors: *blob.RefusedError.
func (s *Store) Health(ctx context.Context) error {
	err, failures := s.Check(ctx), s.monitor.failures.Load()
	if err == nil && failures == s.monitor.proven.Load() {
		return nil
	}
	if refused := s.Probe(ctx); refused != nil { // which says why, unlike the response to Check
		return refused
	}
	if err != nil {
		return s.refusal("listed", err)
	}
	s.monitor.proven.Store(failures)
	return nil
}

// where names the bucket and the store.
func (s *Store) where() string { return fmt.Sprintf(" (bucket %q at %s)", s.bucket, s.endpoint) }

func (s *Store) refusal(operation string, err error) error {
	var known *blob.RefusedError // of an operation that has named the reason itself
	if !errors.As(err, &known) {
		known = refusal(operation, err)
	}
	return &blob.RefusedError{Text: known.Text + s.where(), Remedy: known.Remedy}
}

func (s *Store) readProbe(ctx context.Context, key string) (string, error) {
	r, _, err := s.Open(ctx, key, 0, -1)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

// actions are the permissions that an operation needs.
var actions = map[string]string{
	"stored": "s3:PutObject", "read": "s3:GetObject", "deleted": "s3:DeleteObject", "listed": "s3:ListBucket",
}

// refusal explains why objects cannot be stored, read, deleted or listed.
func refusal(operation string, err error) *blob.RefusedError {
	var e minio.ErrorResponse
	var unreachable *url.Error
	errors.As(err, &e)
	text := "objects can't be " + operation
	switch {
	case e.Code != "":
		text += ": " + e.Code
	case errors.As(err, &unreachable):
		text += ": " + unreachable.Err.Error()
	case errors.Is(err, errNoAnswer), errors.Is(err, errHangs), errors.Is(err, context.DeadlineExceeded):
		text += ": the store does not respond"
	}
	return &blob.RefusedError{Text: text, Remedy: remedyFor(operation, e)}
}

func remedyFor(operation string, e minio.ErrorResponse) string {
	switch e.Code {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		return "correct adapters.blob.access_key and STOA_ADAPTERS_BLOB_SECRET_KEY: the store does not know them"
	case "NoSuchBucket":
		return "create the bucket, or correct adapters.blob.bucket"
	case "AuthorizationHeaderMalformed", "PermanentRedirect":
		return "correct adapters.blob.region"
	case "InvalidStorageClass":
		return "correct adapters.blob.storage_class"
	case "NotImplemented":
		return "remove adapters.blob.sse or storage_class: the store, or its configuration, does not support them"
	case "RequestTimeTooSkewed":
		return "synchronize the clocks of this machine and of the store"
	}
	if strings.HasPrefix(e.Code, "KMS") {
		return "correct adapters.blob.sse_kms_id, or allow the access key to use that key"
	}
	if e.StatusCode == http.StatusForbidden || e.StatusCode == http.StatusMethodNotAllowed {
		return fmt.Sprintf("allow %s to the access key, and make sure that the bucket is not read-only",
			actions[operation])
	}
	return "start the store, or correct adapters.blob.endpoint"
}
