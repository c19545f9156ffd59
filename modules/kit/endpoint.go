package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/stoachat/stoa/domain/user"
)

// Actor is the caller of a request.
type Actor = user.Actor

// None is a request without parameters or an answer without fields.
type None struct{}

// Handler handles the requests of an endpoint.
//
// Req is a struct whose json tags are the wire names of the parameters, including path parameters. A field is required
// unless it is a pointer or has default:"...". alias:"x" accepts another name. Parameters of type string and *string
// are raw text, all others are JSON; null counts as missing, except for a Nullable. A type with UnmarshalText receives
// the raw text, one with UnmarshalJSON the JSON; both may return an errs.Error. header:"X-Name" instead of json:"..."
// reads a request header into a string. A File receives a file, a Body the whole body.
//
// Res is a struct or a map, merged with result and msg, or an Encoded, a *Wait, a *Download or a Redirect. A method
// Msg() string sets msg.
type Handler[Req, Res any] = func(context.Context, Actor, Req) (Res, error)

// Endpoint is a row of a module's table of routes.
type Endpoint struct {
	Method      string
	Path        string // under /api/v1, with :params; a param ending in + matches slashes
	Access      Access
	Doc         string
	RateClass   string // "": by method
	Limit       int64  // maximum bytes of the body
	FileLimit   int64  // maximum bytes of the file (File); 0: no file
	Root        bool   // the path is not under /api/v1
	KeyParam    string // the parameter with the API key, instead of a login (Keyed)
	Proof       string // the parameter with the caller's password, if the row requires it (Proved)
	Realmless   bool   // also answers on the root domain without a realm; the actor's realm is then 0
	OnlyKeys    bool   // not under /json, where browsers authenticate by session
	LocalOnly   bool   // for development: the server refuses to start with it on a public address
	ForWebhooks bool   // incoming webhook bots may call it, and nothing else
	Req, Res    reflect.Type
	// Call decodes the request with bind and calls the handler.
	Call func(ctx context.Context, a Actor, bind func(req any) error) (any, error)
	// Handler is set instead of Call for a mounted http.Handler. Path is then a complete prefix, which may be inside
	// /api/v1. ports.Caller returns the caller from the request's context.
	Handler http.Handler

	// The following fields are for mounted handlers.

	Streaming   bool // the request may take as long as its body keeps arriving
	EitherLogin bool // accepts a session cookie like an API key, also next to an invalid key, and without CSRF token
	Preflight   bool // OPTIONS needs no login
	// Refuse writes errors of the edge in the handler's format; nil: in that of all rows.
	Refuse func(w http.ResponseWriter, status int, msg string)
}

// Shape returns a key that is the same for endpoints that a router could not tell apart.
func (e Endpoint) Shape() string {
	segments := strings.Split(e.Path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, ":") {
			segments[i] = ":"
		}
	}
	shape := e.Method + " " + strings.Join(segments, "/")
	if e.Root {
		shape = "root " + shape
	}
	return shape
}

// PathParams returns the names of the parameters in the path. The last one ends with + if it takes the rest of the
// path.
func (e Endpoint) PathParams() []string {
	var names []string
	for s := range strings.SplitSeq(e.Path, "/") {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// DefaultBodyLimit is the default maximum size of a request body, in bytes.
const DefaultBodyLimit = 256 << 10

func endpoint[Req, Res any](method, path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return Endpoint{
		Method: method, Path: path, Access: who, Doc: doc, Limit: DefaultBodyLimit,
		Req: reflect.TypeFor[Req](), Res: reflect.TypeFor[Res](),
		Call: func(ctx context.Context, a Actor, bind func(any) error) (any, error) {
			var req Req
			if err := bind(&req); err != nil {
				return nil, err
			}
			return h(ctx, a, req)
		},
	}
}

// GET returns a row that reads. It also handles HEAD.
func GET[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodGet, path, who, h, doc)
}

// POST returns a row that performs an action.
func POST[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPost, path, who, h, doc)
}

// PUT returns a row that replaces an object.
func PUT[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPut, path, who, h, doc)
}

// PATCH returns a row that changes an object.
func PATCH[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPatch, path, who, h, doc)
}

// DELETE returns a row that removes an object.
func DELETE[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodDelete, path, who, h, doc)
}

// Mount returns a row that serves an http.Handler under a prefix, for what rows cannot express.
func Mount(prefix string, who Access, h http.Handler, doc string) Endpoint {
	return Endpoint{Path: prefix, Access: who, Doc: doc, Limit: DefaultBodyLimit, Handler: h}
}

// Rate sets the rate class; by default it follows from the method.
func (e Endpoint) Rate(class string) Endpoint { e.RateClass = class; return e }

// Proved names the parameter with the caller's password, for rows that require it again. An error with the cause
// AuthenticationFailed counts as a failed login, so that a stolen API key does not help to guess the password.
func (e Endpoint) Proved(param string) Endpoint { e.Proof = param; return e }

// Webhooks admits incoming webhook bots, which all other rows refuse.
func (e Endpoint) Webhooks() Endpoint { e.ForWebhooks = true; return e }

// MaxBody sets the maximum size of the body in bytes.
func (e Endpoint) MaxBody(bytes int64) Endpoint { e.Limit = bytes; return e }

// KeysOnly excludes the row from /json, which browsers use: for logins, and for rows that only programs call.
func (e Endpoint) KeysOnly() Endpoint { e.OnlyKeys = true; return e }

// WithoutRealm marks a row that also answers on the root domain of a server without a realm.
func (e Endpoint) WithoutRealm() Endpoint { e.Realmless = true; return e }

// Local marks a row for development: a server that listens on a non-loopback address refuses to start with it, and
// requests through a proxy are refused.
func (e Endpoint) Local() Endpoint { e.LocalOnly = true; return e }

// Nullable is a parameter for which null differs from omission.
type Nullable[T any] struct {
	Given bool // the parameter was sent
	Null  bool // and was null
	Value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(b []byte) error {
	n.Given = true
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		n.Null = true
		return nil
	}
	return json.Unmarshal(b, &n.Value)
}

// TakesNull makes the binder pass null.
func (n *Nullable[T]) TakesNull() {}

// Wait is an answer that is not available yet: a held poll. Return it as *Wait. The edge holds the connection; the
// module decides when to answer.
type Wait struct {
	// Wake receives the function to call once when Answer is available, from any goroutine, possibly immediately.
	Wake func(ready func())
	// Answer returns the answer, after ready or early because the server stops. After ready it may return another
	// *Wait, with which the edge keeps holding.
	Answer func(ctx context.Context) (any, error)
	// Gone is called instead if the client disconnects.
	Gone func()
}
