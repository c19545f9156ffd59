package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/stoachat/stoa/domain/blob"
)

// Probe implements ports.BlobProbe.
func (s *Store) Probe(ctx context.Context) error {
	key, content := "probe/"+rand.Text(), rand.Text()
	if _, err := s.Put(ctx, key, strings.NewReader(content), int64(len(content))); err != nil {
		return refusal("stored", err)
	}
	got, err := s.readProbe(ctx, key)
	deleted := s.Delete(ctx, key)
	switch {
	case err != nil:
		return refusal("read", err)
	case got != content:
		return &blob.RefusedError{
			Text: "an object that was stored is read with other content", Remedy: "use another store: this one loses data",
		}
	case deleted != nil:
		return refusal("deleted", deleted)
	}
	return nil
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
func refusal(operation string, err error) error {
	var known *blob.RefusedError
	if errors.As(err, &known) {
		return known
	}
	var e minio.ErrorResponse
	errors.As(err, &e)
	text := "objects can't be " + operation
	if e.Code != "" {
		text += ": " + e.Code
	}
	remedy := "start the store, or correct adapters.blob.endpoint"
	switch e.Code {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		remedy = "correct adapters.blob.access_key and STOA_ADAPTERS_BLOB_SECRET_KEY: the store does not know them"
	case "NoSuchBucket":
		remedy = "create the bucket, or correct adapters.blob.bucket"
	case "AuthorizationHeaderMalformed", "PermanentRedirect":
		remedy = "correct adapters.blob.region"
	case "RequestTimeTooSkewed":
		remedy = "synchronize the clocks of this machine and of the store"
	default:
		if e.StatusCode == http.StatusForbidden || e.StatusCode == http.StatusMethodNotAllowed {
			remedy = fmt.Sprintf("allow %s to the access key, and make sure that the bucket is not read-only",
				actions[operation])
		}
	}
	return &blob.RefusedError{Text: text, Remedy: remedy}
}
