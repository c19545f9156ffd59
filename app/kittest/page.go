package kittest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Page requests a page that the server renders, as a browser does. A POST sends form; header contains names and values.
// Page returns the response's status, headers and body.
func (s *Server) Page(method, path string, form url.Values, header ...string) (int, http.Header, string) {
	s.T.Helper()
	req, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, strings.NewReader(form.Encode()))
	s.must("a page", err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := s.Client.Do(req)
	s.must("a page", err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	s.must("a page", err)
	return res.StatusCode, res.Header, string(b)
}
