package kit

import (
	"context"
	"io"
	"mime"
	"time"
)

// Download is a response that streams a file. Handlers return a *Download. The server handles ranges and conditional
// requests.
type Download struct {
	Name     string            // the file name offered to the client
	Type     string            // Content-Type
	Inline   bool              // whether browsers may display it
	Size     int64             // bytes
	Modified time.Time         // zero: unknown
	ETag     string            // the entity tag, without quotes; "": none
	Header   map[string]string // additional headers of a successful response
	// RedirectURL is a temporary URL of the file, to which GET is redirected; "": the response contains the file.
	RedirectURL string
	// Open returns a reader of n bytes at the offset from. It is called at most once, and not for HEAD. Errors:
	// NotFound, Unavailable.
	Open func(ctx context.Context, from, n int64) (io.ReadCloser, error)
}

// Disposition returns the Content-Disposition header.
func (d *Download) Disposition() string {
	how := "attachment"
	if d.Inline {
		how = "inline"
	}
	if whole := mime.FormatMediaType(how, map[string]string{"filename": d.Name}); whole != "" {
		return whole
	}
	return how
}
