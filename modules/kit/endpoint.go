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

// Actor is who makes the request.
type Actor = user.Actor

// None is a request without parameters, or an answer without fields.
type None struct{}

// Handler is a use case behind an endpoint. Req is a struct whose json tags are the wire names of the parameters, path
// parameters included. A field is required unless it is a pointer, a slice or map with `default:"..."`, or anything
// with `default:"..."`. alias:"x" accepts another name. string and *string are raw text, everything else is JSON text;
// the JSON literal null counts as not given, except in a Nullable. A type with UnmarshalText takes its parameter raw,
// one with UnmarshalJSON as JSON text; both may refuse with an errs.Error. header:"X-Name" instead of json:"..." reads
// a header of the request into a string, a File takes a file, and a Body the whole body. Res is a struct or a map,
// merged with result and msg, an Encoded, a *Wait or a Redirect; with a method Msg() string it says what msg is.
type Handler[Req, Res any] = func(context.Context, Actor, Req) (Res, error)

// Endpoint is one row of a module's endpoint table.
type Endpoint struct {
	Method      string
	Path        string // under /api/v1, with :params; a param with + at its end takes slashes
	Access      Access
	Doc         string
	RateClass   string // "" by method
	Limit       int64  // bytes of body
	FileLimit   int64  // bytes of the file that it takes (File); 0: it takes none
	Root        bool   // the path is not under /api/v1
	KeyParam    string // the parameter with the API key, where there is no login (Keyed)
	Proof       string // the parameter with the caller's password, where a row asks for it again
	Realmless   bool   // answers on the root domain also where there is no realm; the actor's is 0 then
	OnlyKeys    bool   // not under /json, where browsers ask with a session
	LocalOnly   bool   // for development: the server does not start with it on an address that others can reach
	ForWebhooks bool   // incoming webhook bots may call it; they may call nothing else
	Req, Res    reflect.Type
	// Call decodes the request with bind and runs the handler.
	Call func(ctx context.Context, a Actor, bind func(req any) error) (any, error)
	// Handler is set instead of Call for a mounted http.Handler; Path is then a whole prefix, which may lie within
	// /api/v1. The request's context holds who asks (ports.Asker).
	Handler http.Handler

	// The rest is for mounted handlers.

	Streaming   bool // the request may take as long as its body goes on arriving
	EitherLogin bool // a session cookie is as good as a key, also beside one that is wrong, and needs no CSRF token
	Preflight   bool // OPTIONS is answered without login
	// Refuse writes the refusals of the edge in the handler's own form. nil: they are like those of all other rows.
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

// DefaultBodyLimit is the most bytes of body that an endpoint reads unless its row says otherwise.
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

// GET is a row that reads. HEAD is answered too.
func GET[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodGet, path, who, h, doc)
}

// POST is a row that acts.
func POST[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPost, path, who, h, doc)
}

// PUT is a row that replaces.
func PUT[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPut, path, who, h, doc)
}

// PATCH is a row that changes.
func PATCH[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodPatch, path, who, h, doc)
}

// DELETE is a row that removes.
func DELETE[Req, Res any](path string, who Access, h Handler[Req, Res], doc string) Endpoint {
	return endpoint(http.MethodDelete, path, who, h, doc)
}

// Mount puts an http.Handler under a prefix of its own, for what a row can't say (sessions, metrics).
func Mount(prefix string, who Access, h http.Handler, doc string) Endpoint {
	return Endpoint{Path: prefix, Access: who, Doc: doc, Limit: DefaultBodyLimit, Handler: h}
}

// Rate puts the row in a rate class other than its method's.
func (e Endpoint) Rate(class string) Endpoint { e.RateClass = class; return e }

// Proved names the parameter with the caller's password, where a row asks for it again. A refusal because it is wrong,
// which is one with the cause AuthenticationFailed, counts like a failed login: a stolen key is no way to guess it.
func (e Endpoint) Proved(param string) Endpoint { e.Proof = param; return e }

// Webhooks lets incoming webhook bots in too, who are kept out of every row that does not say so.
func (e Endpoint) Webhooks() Endpoint { e.ForWebhooks = true; return e }

// MaxBody sets how many bytes of body the row reads.
func (e Endpoint) MaxBody(bytes int64) Endpoint { e.Limit = bytes; return e }

// KeysOnly leaves the row out for browsers, which ask under /json: logins, for example, and what is called by
// programs only.
func (e Endpoint) KeysOnly() Endpoint { e.OnlyKeys = true; return e }

// WithoutRealm marks a row that answers on the root domain of a server also where there is no realm.
func (e Endpoint) WithoutRealm() Endpoint { e.Realmless = true; return e }

// Local marks a row that is for development only: a server that listens on an address other than a loopback one does
// not start with it, and what comes through a proxy is refused.
func (e Endpoint) Local() Endpoint { e.LocalOnly = true; return e }

// Nullable is a parameter for which the JSON literal null means something else than leaving it out.
type Nullable[T any] struct {
	Given bool // the parameter was there
	Null  bool // and was null
	Value T
}

// UnmarshalJSON notes that the parameter was given.
func (n *Nullable[T]) UnmarshalJSON(b []byte) error {
	n.Given = true
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		n.Null = true
		return nil
	}
	return json.Unmarshal(b, &n.Value)
}

// TakesNull tells the binder to pass null on.
func (n *Nullable[T]) TakesNull() {}

// Wait is an answer that is not there yet: a held poll. Return it as *Wait. The edge owns the holding; what is waited
// for is the module's.
type Wait struct {
	// Wake is told the function to call when Answer has something, once, from any goroutine; it may call it at once.
	Wake func(ready func())
	// Answer gives the answer: after ready, or early because the server stops. After ready it may be a *Wait again: there
	// was nothing after all, and the edge holds on with that one.
	Answer func(ctx context.Context) (any, error)
	// Gone is called instead when the client went away.
	Gone func()
}
