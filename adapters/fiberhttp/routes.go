package fiberhttp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	apiPrefix     = "/api/v1"
	sessionPrefix = "/json"
	notFound      = "Not found"
)

// route is an endpoint with its binder.
type route struct {
	kit.Endpoint
	module string
	binder *binder
	params []pathParam
	m      routeMeasures
	label  string // the method and the path
}

// pathParam is a path parameter: its name, and Fiber's key for it.
type pathParam struct{ name, key string }

// newRoutes prepares all routes and sorts them in matching order: literal segments before parameters. The registry has
// checked that each has an access rule and a field per path parameter, and that no two match the same paths.
func newRoutes(c *kit.Collected, cfg Config) ([]*route, error) {
	var all []*route
	var bad []error
	for _, m := range c.Modules {
		local := func(e kit.Endpoint) bool { return e.LocalOnly }
		if slices.ContainsFunc(m.Parts.Endpoints, local) {
			if !loopback(cfg.Addr) {
				bad = append(bad, fmt.Errorf("module %s is for development only, and http.addr %s can be reached from "+
					"other machines; set http.addr to 127.0.0.1:9991, or leave the module out", m.Module, cfg.Addr))
			}
			if len(cfg.TrustedProxies) > 0 {
				bad = append(bad, fmt.Errorf("module %s is for development only, and http.trusted_proxies makes the "+
					"server public; remove the proxies, or leave the module out", m.Module))
			}
		}
		for _, e := range m.Parts.Endpoints {
			r := &route{Endpoint: e, module: m.Module, params: pathParams(e), label: strings.TrimSpace(e.Method + " " + e.Path)}
			if err := r.check(); err != nil {
				bad = append(bad, fmt.Errorf("module %s: %s: %w", m.Module, r.title(), err))
				continue
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b *route) int { return strings.Compare(a.rank(), b.rank()) })
	return all, errors.Join(bad...)
}

func (r *route) check() (err error) {
	if r.Handler != nil {
		return nil
	}
	if err := checkRes(r.Res); err != nil {
		return err
	}
	if r.binder, err = newBinder(r.Req); err == nil && (r.binder.file != nil) != (r.FileLimit > 0) {
		err = fmt.Errorf("a kit.File in %v requires Upload in the endpoint, and vice versa", r.Req)
	}
	return err
}

// takesParams reports whether the route reads parameters from the query or the body.
func (r *route) takesParams() bool {
	if r == nil || r.binder == nil {
		return false
	}
	inPath := func(name string) bool {
		return slices.ContainsFunc(r.params, func(p pathParam) bool { return p.name == name })
	}
	return r.binder.file != nil || slices.ContainsFunc(r.binder.fields,
		func(f field) bool { return f.name != "" && !inPath(f.name) })
}

func (r *route) title() string {
	if r.Handler != nil {
		return "mount " + r.Path
	}
	if r.Root {
		return r.Method + " " + r.Path + " at the root"
	}
	return r.Method + " " + r.Path
}

// rank returns a key that sorts routes in matching order.
func (r *route) rank() string {
	var b strings.Builder
	for seg := range strings.SplitSeq(r.Path, "/") {
		switch {
		case !strings.HasPrefix(seg, ":"):
			b.WriteString("\x01" + seg + "\x00")
		case !strings.HasSuffix(seg, "+"):
			b.WriteString("\x02")
		default:
			b.WriteString("\x03")
		}
	}
	if r.Handler != nil { // it matches every path below its own that no other route matches
		b.WriteString("\x04")
	}
	return b.String()
}

func pathParams(e kit.Endpoint) []pathParam {
	names := e.PathParams()
	all := make([]pathParam, len(names))
	for i, name := range names {
		all[i] = pathParam{name, name}
		if greedy, ok := strings.CutSuffix(name, "+"); ok {
			all[i] = pathParam{greedy, "+1"}
		}
	}
	return all
}

// fiberPath returns the path in Fiber's notation.
func fiberPath(path string) string {
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		if strings.HasPrefix(seg, ":") && strings.HasSuffix(seg, "+") {
			segs[i] = "+"
		}
	}
	return strings.Join(segs, "/")
}

func (s *Server) addRoute(app *fiber.App, r *route) {
	if r.Handler != nil {
		app.All(r.Path, s.mount(r))
		if r.Path == "/" { // only the root page itself, not every unrouted path
			return
		}
		app.All(strings.TrimRight(r.Path, "/")+"/*", s.mount(r))
		return
	}
	if r.Root {
		s.addPath(app, "", r, false)
		return
	}
	s.addPath(app, apiPrefix, r, false)
	if s.Sessions != nil && !r.keysOnly() {
		s.addPath(app, sessionPrefix, r, true)
	}
}

// keysOnly reports whether the route is unavailable to browsers under sessionPrefix.
func (r *route) keysOnly() bool { return r.OnlyKeys || r.KeyParam != "" }

func (s *Server) addPath(app *fiber.App, prefix string, r *route, session bool) {
	path, h := prefix+fiberPath(r.Path), s.serve(r, session)
	if r.Method == http.MethodGet {
		app.Get(path, h) // and HEAD
		return
	}
	app.Add(r.Method, path, h)
}

// allowed returns the methods of all routes that match a path.
func (s *Server) allowed(path string) []string {
	rest, ok := strings.CutPrefix(path, apiPrefix)
	session := false
	if !ok && s.Sessions != nil {
		rest, ok = strings.CutPrefix(path, sessionPrefix)
		session = ok
	}
	segments := func(path string) []string { return strings.Split(strings.TrimRight(path, "/"), "/") }
	full, relative := segments(path), segments(rest)
	var all []string
	for _, r := range s.routes {
		segs := relative
		if r.Root {
			segs = full
		}
		if r.Handler != nil || !r.Root && (!ok || session && r.keysOnly()) || slices.Contains(all, r.Method) ||
			!matches(strings.Split(r.Path, "/"), segs) {
			continue
		}
		all = append(all, r.Method)
		if r.Method == http.MethodGet {
			all = append(all, http.MethodHead)
		}
	}
	slices.Sort(all)
	return all
}

func matches(pattern, segs []string) bool {
	for i, p := range pattern {
		if i >= len(segs) {
			return false
		}
		isParam := strings.HasPrefix(p, ":")
		if isParam && strings.HasSuffix(p, "+") {
			return true
		}
		if isParam && segs[i] == "" || !isParam && p != segs[i] {
			return false
		}
	}
	return len(pattern) == len(segs)
}

// pathOf returns copies of the unescaped path parameters. Errors: BadRequest, as a 404 if an ID is not a number.
func (r *route) pathOf(c *fiber.Ctx) ([]param, error) {
	if len(r.params) == 0 {
		return nil, nil
	}
	all := make([]param, len(r.params))
	for i, p := range r.params {
		text := strings.Clone(c.Params(p.key))
		if p.key == "+1" { // Fiber omits trailing slashes, which belong to the parameter
			path := c.Path()
			text += path[len(strings.TrimRight(path, "/")):]
		}
		v, err := url.PathUnescape(text)
		if err != nil || !validText(v) {
			return nil, errs.Bad("Argument %q is not valid UTF-8.", p.name)
		}
		if f, ok := r.binder.byName[p.name]; ok && r.binder.fields[f].integer && strings.Trim(v, "-0123456789") != "" {
			return nil, errs.Absent(notFound) // a different path, such as /messages/summary versus /messages/5
		}
		all[i] = param{name: p.name, value: v, path: true}
	}
	return all, nil
}
