package files

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type pathReq struct {
	Path string `json:"path_id"`
}

// show handles GET /user_uploads/{path_id} at the root. Errors: NotFound; Unauthorized and RateLimit for spectators;
// Unavailable.
func (s *Service) show(ctx context.Context, a kit.Actor, in pathReq) (*kit.Download, error) {
	f, err := s.readable(ctx, a, in.Path)
	if err != nil {
		return nil, err
	}
	return s.download(ctx, f, upload.Inline(f.ContentType))
}

// downloadFile handles GET /user_uploads/download/{path_id} at the root. Errors: those of show.
func (s *Service) downloadFile(ctx context.Context, a kit.Actor, in pathReq) (*kit.Download, error) {
	f, err := s.readable(ctx, a, in.Path)
	if err != nil {
		return nil, err
	}
	return s.download(ctx, f, false)
}

// readable returns a file that the caller can read. Spectators get Unauthorized for missing files and for files that
// are not web-public.
func (s *Service) readable(ctx context.Context, a kit.Actor, path string) (*upload.File, error) {
	f, err := s.Find(ctx, a, path)
	if a.User != 0 {
		return f, err
	}
	if errs.Is(err, errs.NotFound) {
		return nil, errs.New(errs.Unauthorized, "Not logged in: API authentication or user session required")
	}
	if err == nil {
		err = s.downloads.count(f.ID, s.Clock.Now())
	}
	return f, err
}

// These policies restrict files that browsers open directly. Browsers' PDF viewers do not work in a sandbox.
const (
	sandboxed = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox"
	forPDF    = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; object-src 'self'; plugin-types " +
		"application/pdf"
)

func (s *Service) download(ctx context.Context, f *upload.File, inline bool) (*kit.Download, error) {
	policy := sandboxed
	if inline && upload.MediaType(f.ContentType) == "application/pdf" {
		policy = forPDF
	}
	d := &kit.Download{
		Name: f.Name, Type: upload.Served(f.ContentType), Inline: inline, Size: f.Size, Modified: f.CreatedAt,
		ETag: upload.Tag(f.PathID),
		Header: map[string]string{
			"Cache-Control": "private, immutable, max-age=31536000", "Vary": "Authorization, Cookie",
			"Content-Security-Policy": policy,
			"X-Content-Type-Options":  "nosniff",
		},
		Open: func(ctx context.Context, from, n int64) (io.ReadCloser, error) {
			r, _, err := s.Blobs.Open(ctx, f.Key, from, n)
			return r, err
		},
	}
	links, ok := s.Blobs.(ports.BlobLinks)
	if !ok {
		return d, nil
	}
	var err error
	d.RedirectURL, err = links.Link(ctx, f.Key, blob.Serve{Type: d.Type, Disposition: d.Disposition(),
		Cache: d.Header["Cache-Control"]}, linkLifetime)
	return d, err
}
