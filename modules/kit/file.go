package kit

import (
	"io"
	"net/http"
)

// HeldFile is the size in bytes of the largest file that the edge buffers in memory.
const HeldFile = 8 << 20

// File is a file in a multipart form. A field of Req of this type requires exactly one file, a *File at most one; the
// tag file:"icon" names the file in errors. Upload sets the limit of its size. With a limit up to HeldFile, the file is
// buffered and parameters may precede or follow it. With a larger limit, Reader reads the request itself: once, with
// parameters before the file, and a second file is detected only at the end.
type File struct {
	io.Reader        // errors: BadRequest for a file that is too large, a malformed form, or a second file
	Name      string // given by the client: any text
	Type      string // given by the client: not to be trusted
}

// Redirect is an answer with status 302.
type Redirect struct {
	To    string // a path of this server, or an absolute URL
	Query bool   // append the query of the request
}

// Upload lets the row accept a file of at most that many bytes.
func (e Endpoint) Upload(bytes int64) Endpoint {
	e.FileLimit, e.Limit = bytes, bytes+DefaultBodyLimit
	return e
}

// AtRoot places the row outside of /api/v1, for addresses that browsers open: sessions are accepted like API keys.
func (e Endpoint) AtRoot() Endpoint { e.Root = true; return e }

// RateFiles is the rate class of rows that serve files and images. They have a limit of their own, which viewing does
// not reach.
const RateFiles = "files"

// RateServers is the rate class of rows that other servers call, which have quotas of their own. Requests are counted
// by address; the limit only prevents guessing.
const RateServers = "servers"

// WithCookies is implemented by answers that set cookies.
type WithCookies interface{ Cookies() []*http.Cookie }
