package images

import (
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

// serve serves an image. All images were encoded by this server; as a further precaution, headers prevent browsers from
// running scripts in them. An address always refers to the same image, so browsers may cache it forever.
func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	at := strings.TrimPrefix(r.URL.Path, prefix)
	kind, known := picture.Types()[strings.TrimPrefix(path.Ext(at), ".")]
	if !known {
		http.NotFound(w, r)
		return
	}
	if data, ok := s.drawn.get(r.URL.Path); ok {
		writeImage(w, kind, data)
		return
	}
	body, _, err := s.Blobs.Open(r.Context(), keyPrefix+at, 0, -1)
	if errs.Is(err, errs.NotFound) {
		http.NotFound(w, r)
		return
	}
	var data []byte
	if err == nil {
		defer func() { _ = body.Close() }() // only read from
		data, err = io.ReadAll(body)
	}
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Temporarily unavailable", http.StatusServiceUnavailable)
		return
	}
	writeImage(w, kind, data)
}

func writeImage(w http.ResponseWriter, kind string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, _ = w.Write(data) //nolint:gosec // encoded by this server, and sandboxed; the client may have disconnected
}
