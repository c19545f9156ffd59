package kit

import (
	"io"
	"net/http"
)

// HeldFile is the largest file that the edge holds in memory for a row.
const HeldFile = 8 << 20

// File is the file that a request carries, in a part of a multipart form. A field of Req of this type demands exactly
// one, a *File takes none too; tag the field with what to call it when there are none or several: file:"icon". The
// row says with Upload how large it may be. Up to HeldFile the file is held, and parameters may stand before and
// after it. In a row that takes larger ones Reader is the request itself: it can be read once, parameters must stand
// before the file, and that it is the only one is known when it ends.
type File struct {
	io.Reader        // errors: BadRequest for too large a file, what is no form, or another file behind this one
	Name      string // as the client calls it: any text
	Type      string // what the client says that it is: nothing to believe
}

// Redirect is an answer: 302 to somewhere else.
type Redirect struct {
	To    string // a path of this server, or a whole address
	Query bool   // the query of the request goes along
}

// Upload lets the row take a file of at most so many bytes.
func (e Endpoint) Upload(bytes int64) Endpoint {
	e.FileLimit, e.Limit = bytes, bytes+DefaultBodyLimit
	return e
}

// AtRoot puts the row outside of /api/v1, for what browsers ask for by its address: a session is then as good as a key.
func (e Endpoint) AtRoot() Endpoint { e.Root = true; return e }

// RateFiles is the rate class of rows that give files and pictures: they do not count among the other requests, but
// have a limit of their own that nobody reaches who only looks at them.
const RateFiles = "files"

// RateServers is the rate class of rows that other servers call, which have quotas of their own. They are counted by
// address, and with a limit that keeps out nobody but those who guess.
const RateServers = "servers"

// WithCookies is an answer that also sets cookies.
type WithCookies interface{ Cookies() []*http.Cookie }
