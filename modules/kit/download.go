package kit

import (
	"context"
	"io"
	"mime"
	"time"
)

// Download is an answer: the bytes of a file, streamed. Return it as *Download. The edge answers ranges and conditional
// requests.
type Download struct {
	Name     string            // for the client to save the file under
	Type     string            // Content-Type
	Inline   bool              // may be shown in place
	Size     int64             // bytes
	Modified time.Time         // zero: not known
	Tag      string            // the entity tag, without quotes; "": none
	Header   map[string]string // further headers of a successful answer
	// At is an address where the client may fetch the bytes for a short while; the answer leads there. "": it holds them.
	At string
	// Open gives n bytes from an offset on. It is called at most once, and not for HEAD. Errors: NotFound, Unavailable.
	Open func(ctx context.Context, from, n int64) (io.ReadCloser, error)
}

// Disposition gives the Content-Disposition header.
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
