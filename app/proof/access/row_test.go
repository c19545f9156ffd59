package access_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// row is one use of a route, with its rule. The package documentation explains how to write one.
type row struct {
	route string    // as in the route table: "PATCH /streams/:stream_id"
	name  string    // describes the use, if the route has several
	rule  string    // the rule in words, with its section of the specification
	who   admission // who is allowed to call the route
	on    *family
	with  []string                                   // parameters; {field} is replaced by a field of the object or fixture
	call  string                                     // "": the route, with the object's fields as path parameters
	do    func(w *fixture, x cell) *kittest.Response // instead of with and call

	may   func(x cell) bool                      // nil: everyone who may call the route
	sees  func(x cell) bool                      // who may learn that the object exists; nil: as in the family
	found func(a *kittest.Response, x cell) bool // for lists: whether the object is in it
	after func(w *fixture, x cell)               // undoes a permitted action
	lasts bool                                   // the action cannot be undone: each caller needs its own object
	tells bool                                   // a refusal may notify a user, such as a bot's owner
	same  func(text string) string               // removes from a response what may differ between missing and hidden
}

func (r *row) title() string {
	if r.name == "" {
		return r.route
	}
	return r.route + " — " + r.name
}

// family is a type of object in all its variants.
type family struct {
	name     string
	variants []variant
	// make creates an object in a variant, with the relation to each of the callers in the realm.
	make    func(w *fixture, v variant, who []*caller) object
	missing map[string]string // fields of a missing object
	sees    func(x cell) bool // nil: everyone who may call the route
}

// variant is a kind of object, together with the caller's relation to it.
type variant struct {
	kind, relation string
	each           bool // each caller has its own object
	everywhere     bool // every realm has an object with this ID
}

// object holds the fields that requests refer to.
type object struct{ fields map[string]string }

// cell is a cell of a table.
type cell struct {
	w *fixture
	c *caller
	v variant
	o object
}

// admission is the specification's rule for calling a route, which the server's route table must implement. It returns
// the error, or "" if the caller may call the route.
type admission func(c *caller) string

// The rules for calling routes.
func anyone(*caller) string { return "" }

func spectators(c *caller) string {
	if c.spectator {
		return ""
	}
	return users(c)
}

// senders admits users, and bots that may only send.
func senders(c *caller) string {
	if c.role == 0 || c.gone {
		return "401 UNAUTHORIZED"
	}
	return ""
}

func users(c *caller) string {
	if c.bot == user.IncomingWebhook {
		return "401 UNAUTHORIZED"
	}
	return senders(c)
}

func humans(c *caller) string {
	if no := users(c); no != "" || c.bot == user.Human {
		return no
	}
	return "400 BAD_REQUEST"
}

func members(c *caller) string { return atLeast(c, user.Member, "400 BAD_REQUEST") }
func admins(c *caller) string  { return atLeast(c, user.Admin, "400 UNAUTHORIZED_PRINCIPAL") }
func owners(c *caller) string  { return atLeast(c, user.Owner, "400 UNAUTHORIZED_PRINCIPAL") }

func atLeast(c *caller, r user.Role, refusal string) string {
	if no := users(c); no != "" || c.role <= r {
		return no
	}
	return refusal
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// fill replaces the placeholders in a text.
func (x cell) fill(text string) string {
	x.w.n++
	own := map[string]string{"n": fmt.Sprint(x.w.n), "me": fmt.Sprint(x.c.id), "mymail": x.c.mail}
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		for _, fields := range []map[string]string{own, x.o.fields, x.w.fields} {
			if v, ok := fields[name[1:len(name)-1]]; ok {
				return v
			}
		}
		return name
	})
}

// path replaces the parameters in a route's path by the object's fields: :user_id by {user_id}.
func (x cell) path(route string) string {
	method, path, _ := strings.Cut(route, " ")
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		if p, ok := strings.CutPrefix(seg, ":"); ok {
			segs[i] = "{" + strings.TrimSuffix(p, "+") + "}"
		}
	}
	return x.fill(method + " " + strings.Join(segs, "/"))
}

// ask makes the row's request.
func (r *row) ask(x cell) *kittest.Response {
	x.w.t.Helper()
	if r.do != nil {
		return r.do(x.w, x)
	}
	call := x.path(r.route)
	if r.call != "" {
		call = x.path(r.call)
	}
	params := make([]string, len(r.with))
	for i, p := range r.with {
		params[i] = x.fill(p)
	}
	return x.w.ask(x.c, call, params...)
}
