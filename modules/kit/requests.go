package kit

import (
	"context"
	"net/netip"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Requests lets a module see the requests to the server: what they are and how they end, but neither parameters,
// headers and bodies nor anything secret. Both functions are optional.
type Requests struct {
	// Admit is called before anything is known about the caller, for several requests at once, and refuses the request
	// by returning an error of domain/errs. After MaxAdmitting, the request is refused with Unavailable, so Admit must
	// decide without I/O.
	Admit func(ctx context.Context, r Request) error
	// Answered is called after the response was written, for one request after the other. It delays no response: if it
	// is too slow, requests are left out, and the log counts them.
	Answered func(ctx context.Context, a Answered)
}

// MaxAdmitting is the time that all functions Admit together have for a request.
const MaxAdmitting = 100 * time.Millisecond

// Request describes a request.
type Request struct {
	ID      string     // as in the log
	Method  string     // GET, POST, ...
	Route   string     // the pattern of the path, such as /api/v1/messages/:message_id, or "none"
	Address netip.Addr // of the client, resolved through trusted proxies
	Agent   string     // the User-Agent, printable, at most 500 bytes
}

// Answered describes a request that has been answered.
type Answered struct {
	Request
	Realm  realm.ID // 0: unknown, such as for pages
	User   user.ID  // 0: not logged in
	Status int      // 499: the client disconnected before the response
	Took   time.Duration
	Bytes  int // of the body of the response; negative: unknown
}
