package testrun

import "net/http"

// Comparable returns a copy of a header without the fields that differ between two equal responses: the second in which
// it was sent, and its ID.
func Comparable(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Date")
	h.Del("X-Request-Id")
	return h
}
