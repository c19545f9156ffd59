package files

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

type pathReq struct {
	Path string `json:"path_id"`
}

// show is GET /user_uploads/{path_id} at the root. Errors: NotFound; Unauthorized for spectators; Unavailable.
func (s *Service) show(ctx context.Context, a kit.Actor, in pathReq) (*kit.Download, error) {
	f, err := s.Find(ctx, a, in.Path)
	if err != nil {
		return nil, spectator(a, err)
	}
	return s.download(f, upload.Inline(f.ContentType)), nil
}

// spectator turns a refusal into the one that people get who are not logged in: they may have to.
func spectator(a kit.Actor, err error) error {
	if a.User == 0 && errs.Is(err, errs.NotFound) {
		return errs.New(errs.Unauthorized, "Not logged in: API authentication or user session required")
	}
	return err
}

// What a file may do in a browser when it is shown by itself: nothing but be seen. The viewers of PDF that browsers have do not run
// in a sandbox.
const (
	sandboxed = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox"
	forPDF    = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; object-src 'self'; plugin-types application/pdf"
)

func (s *Service) download(f *upload.File, inline bool) *kit.Download {
	policy := sandboxed
	if inline && upload.MediaType(f.ContentType) == "application/pdf" {
		policy = forPDF
	}
	return &kit.Download{
		Name: f.Name, Type: upload.Served(f.ContentType), Inline: inline, Size: f.Size, Modified: f.CreatedAt, Tag: upload.Tag(f.PathID),
		Header: map[string]string{
			"Cache-Control": "private, immutable, max-age=31536000", "Vary": "Authorization, Cookie", "Content-Security-Policy": policy,
			"X-Content-Type-Options": "nosniff",
		},
		Open: func(ctx context.Context, from, n int64) (io.ReadCloser, error) {
			r, _, err := s.Blobs.Open(ctx, f.Key, from, n)
			return r, err
		},
	}
}
