package access_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// row is one use of a route, and the rule by which it is allowed. How to write one: see the package's doc.
type row struct {
	route string // as in the route table: "PATCH /streams/:stream_id"
	name  string // which use of the route, where there are several
	rule  string // the rule in words, with the part of the specification
	who   door   // who may come in at all
	on    *family
	with  []string                               // parameters; {field} stands for what the object, or the world, has
	call  string                                 // "" as the route, with the object's fields for the parameters of the path
	do    func(w *world, x cell) *kittest.Answer // instead of with and call

	may   func(x cell) bool                    // nil: whoever comes in
	sees  func(x cell) bool                    // may know that the object exists; nil: as the family says
	found func(a *kittest.Answer, x cell) bool // of a list that is always answered: whether the object is in it
	after func(w *world, x cell)               // undoes what was allowed
	lasts bool                                 // what is allowed can't be undone: each caller has an object of their own
	tells bool                                 // a refusal may be told to somebody, such as a bot's owner
	same  func(text string) string             // takes out of an answer what may differ between missing and invisible
}

func (r *row) title() string {
	if r.name == "" {
		return r.route
	}
	return r.route + " — " + r.name
}

// family is a kind of objects, with the variants in which they come.
type family struct {
	name     string
	variants []variant
	// make makes an object of a variant, so that the relation holds for each of those callers who are here.
	make    func(w *world, v variant, who []*caller) object
	missing map[string]string // the fields of an object that is not there
	sees    func(x cell) bool // nil: whoever comes in
}

// variant is a kind of object, and the caller's relation to it.
type variant struct {
	kind, relation string
	each           bool // one caller's object is not another's
	everywhere     bool // every realm has one of that id
}

// object is what a request names.
type object struct{ fields map[string]string }

// cell is one place in a table.
type cell struct {
	w *world
	c *caller
	v variant
	o object
}

// door is a rule about who may come in at all, by the specification; the server's own is in its route table.
type door func(c *caller) string

// The doors. They answer with the refusal, or "".
func anyone(*caller) string { return "" }

func spectators(c *caller) string {
	if c.spectator {
		return ""
	}
	return users(c)
}

// senders are users, and those bots that may do nothing but send.
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

// fill puts in what the placeholders stand for.
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

// path puts the object's fields into the route's path: :user_id is {user_id}.
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
func (r *row) ask(x cell) *kittest.Answer {
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
