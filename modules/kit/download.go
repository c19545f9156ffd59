package kit

import (
	"context"
	"io"
	"time"
)

// Download is an answer: the bytes of a file, streamed. Return it as *Download. The edge answers ranges and conditional requests.
type Download struct {
	Name     string            // for the client to save the file under
	Type     string            // Content-Type
	Inline   bool              // may be shown in place
	Size     int64             // bytes
	Modified time.Time         // zero: not known
	Tag      string            // the entity tag, without quotes; "": none
	Header   map[string]string // further headers of a successful answer
	// Open gives n bytes from an offset on. It is called at most once, and not for HEAD. Errors: NotFound, Unavailable.
	Open func(ctx context.Context, from, n int64) (io.ReadCloser, error)
}
