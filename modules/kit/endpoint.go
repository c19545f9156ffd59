package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Actor is the caller of a request.
type Actor = user.Actor

// None is a request without parameters or a response without fields.
type None struct{}

// Handler handles the requests of an endpoint.
//
// Req is a struct whose json tags are the wire names of the parameters, including path parameters. A field is required
// unless it is a pointer or has default:"...". alias:"x" accepts another name. Parameters of type string and *string
// are raw text. All others are JSON, in which null counts as missing, except for a Nullable. A type with UnmarshalText
// receives the raw text, one with UnmarshalJSON the JSON; both may return an errs.Error. header:"X-Name" instead of
// json:"..." reads a request header into a string. in:"query" ignores the parameter in the body. A File receives a
// file, a Body the whole body, Headers all headers, and Params the parameters without a field.
//
// Res is a struct or a map, to which result and msg are added, or an Encoded, a *Wait, a *Download or a Redirect. A
// method Msg() string sets msg; see also WithHeaders and WithCookies.
type Handler[Req, Res any] = func(context.Context, Actor, Req) (Res, error)

// Endpoint declares a route of a module.
type Endpoint struct {
	Method        string
	Path          string // under /api/v1; :name is a parameter, and :name+ also matches slashes
	Access        Access
	Doc           string
	RateClass     string // "": requests
	Limit         int64  // maximum bytes of the body
	FileLimit     int64  // maximum bytes of an uploaded File; 0: no file
	Root          bool   // the path is not under /api/v1
	KeyParam      string // the parameter that contains the API key; see AcceptKey
	PasswordParam string // the parameter that contains the caller's password; see RequirePassword
	Realmless     bool   // also served on a root domain that has no realm; Actor.Realm is then 0
	OnlyKeys      bool   // not under /json, where browsers authenticate by session
	LocalOnly     bool   // for development; see Local
	ForWebhooks   bool   // one of the few endpoints that incoming webhook bots may call
	Compressed    bool   // large responses are compressed; see Compress
	SameAgain     bool   // see Idempotent
	Reads         bool   // works during maintenance, whatever its method; see Reading
	Req, Res      reflect.Type
	OperationID   string       // its name in the description of the API; see Operation
	Shown         reflect.Type // describes the response instead of Res; see Shows
	Codes         []errs.Code  // see Fails
	Causes        []string     // see Causing
	Raw           []Raw        // see Describes
	// Call decodes the request with bind and calls the handler.
	Call func(ctx context.Context, a Actor, bind func(req any) error) (any, error)
	// Handler is set instead of Call for a mounted http.Handler. Path is then a complete prefix, which may be inside
	// /api/v1. ports.Caller returns the caller from the request's context.
	Handler http.Handler

	// The following fields apply to mounted handlers.

	Streaming   bool // the request does not time out while its body keeps arriving
	EitherLogin bool // accepts a session cookie without a CSRF token, and despite an invalid API key
	Preflight   bool // OPTIONS needs no login
	// Refuse writes errors that occur before Handler is called, such as failed logins. If it is nil, they are sent as
	// JSON, as for all other endpoints.
	Refuse func(w http.ResponseWriter, status int, msg string)
}

// Shape returns the method and the path without parameter names. Routers cannot distinguish endpoints with the same
// shape.
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

// PathParams returns the names of the parameters in the path. The last one ends with + if it matches the rest of the
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

func endpoint[Req, Res any](method, path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return Endpoint{
		Method: method, Path: path, Access: access, Doc: doc, Limit: DefaultBodyLimit,
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

// GET returns an endpoint that reads. It also handles HEAD.
func GET[Req, Res any](path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodGet, path, access, h, doc)
}

// POST returns an endpoint that performs an action.
func POST[Req, Res any](path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPost, path, access, h, doc)
}

// PUT returns an endpoint that replaces an object.
func PUT[Req, Res any](path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPut, path, access, h, doc)
}

// PATCH returns an endpoint that changes an object.
func PATCH[Req, Res any](path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPatch, path, access, h, doc)
}

// DELETE returns an endpoint that removes an object.
func DELETE[Req, Res any](path string, access Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodDelete, path, access, h, doc)
}

// Mount returns an endpoint that serves an http.Handler under a prefix, for protocols that a Handler cannot express.
func Mount(prefix string, access Access, h http.Handler, doc string) Endpoint {
	return Endpoint{Path: prefix, Access: access, Doc: doc, Limit: DefaultBodyLimit, Handler: h}
}

// Rate sets the rate class: one of the server, or one that the module declares; see RateClass.
func (e Endpoint) Rate(class string) Endpoint { e.RateClass = class; return e }

// RequirePassword names the parameter that contains the caller's password. An error with the cause AuthenticationFailed
// counts as a failed login, so that a stolen API key cannot be used to guess the password.
func (e Endpoint) RequirePassword(param string) Endpoint { e.PasswordParam = param; return e }

// Webhooks admits incoming webhook bots, which are denied access to all other endpoints.
func (e Endpoint) Webhooks() Endpoint { e.ForWebhooks = true; return e }

// MaxBody sets the maximum size of the body in bytes.
func (e Endpoint) MaxBody(bytes int64) Endpoint { e.Limit = bytes; return e }

// KeysOnly omits the endpoint from /json, where browsers authenticate by session. It is for logins and for endpoints
// that only programs call.
func (e Endpoint) KeysOnly() Endpoint { e.OnlyKeys = true; return e }

// WithoutRealm also serves the endpoint on a root domain that has no realm.
func (e Endpoint) WithoutRealm() Endpoint { e.Realmless = true; return e }

// Local marks an endpoint for development only. A server with such an endpoint does not start on a non-loopback address
// and rejects requests that arrive through a proxy.
func (e Endpoint) Local() Endpoint { e.LocalOnly = true; return e }

// Compress has the [Compressible] values of large responses compressed for clients that accept it, each by itself. The
// handler returns an Object. It is for lists of all users or channels.
func (e Endpoint) Compress() Endpoint { e.Compressed = true; return e }

// Reading declares that the endpoint changes nothing that others see, although it is not a GET. It works during
// maintenance, in which all other changes are refused.
func (e Endpoint) Reading() Endpoint { e.Reads = true; return e }

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

// TakesNull marks the type as one whose UnmarshalJSON handles null; otherwise null counts as missing.
func (n *Nullable[T]) TakesNull() {}

// Wait is a response that is not available yet, as for a long poll. Handlers return a *Wait. The server keeps the
// connection open until the module calls ready.
type Wait struct {
	// Notify registers ready, which the module calls once when Result is available, from any goroutine, possibly before
	// Notify returns.
	Notify func(ready func())
	// Result returns the response. It is called after ready, or earlier if the server stops. After ready it may return
	// another *Wait to continue waiting.
	Result func(ctx context.Context) (any, error)
	// Cancel is called instead of Result if the client disconnects.
	Cancel func()
}

// Sent is implemented by results that measure when they were sent.
type Sent interface{ Sent() }
