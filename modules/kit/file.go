package kit

import (
	"io"
	"net/http"
)

// MaxBufferedFile is the maximum size, in bytes, of uploaded files that are buffered in memory.
const MaxBufferedFile = 8 << 20

// File is a file in a multipart form. A field of Req of type File requires exactly one file, a *File accepts at most
// one. The tag file:"icon" names the file in errors. Upload sets the maximum size. If that is at most MaxBufferedFile,
// the file is buffered, and parameters may precede or follow it. Otherwise Reader reads directly from the request: it
// can be read once, parameters must precede the file, and a second file is detected only at the end.
type File struct {
	io.Reader        // errors: BadRequest for a file that is too large, a malformed form, or a second file
	Name      string // sent by the client: may be any text
	Type      string // sent by the client: not to be trusted
}

// Redirect is a response with status 302.
type Redirect struct {
	To    string // a path of this server, or an absolute URL
	Query bool   // append the request's query
}

// Upload makes the endpoint accept a file of at most the given size in bytes.
func (e Endpoint) Upload(bytes int64) Endpoint {
	e.FileLimit, e.Limit = bytes, bytes+DefaultBodyLimit
	return e
}

// AtRoot places the endpoint outside of /api/v1, for URLs that browsers open. Sessions are accepted like API keys.
func (e Endpoint) AtRoot() Endpoint { e.Root = true; return e }

// RateFiles is the rate class of endpoints that serve files and images. Its limit is high enough for pages that show
// many images.
const RateFiles = "files"

// RatePolls is the rate class of long polls. Their number depends on what others do, so they do not count as requests
// of their user. Requests without valid credentials count as any others.
const RatePolls = "polls"

// RateServers is the rate class of endpoints that other servers call. Requests are counted by address. The limit only
// prevents guessing of credentials: such endpoints have their own quotas.
const RateServers = "servers"

// WithHeaders is implemented by responses that set headers.
type WithHeaders interface{ Headers() map[string]string }

// WithCookies is implemented by responses that set cookies.
type WithCookies interface{ Cookies() []*http.Cookie }
