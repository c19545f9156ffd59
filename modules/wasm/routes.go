package wasm

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// methods lists the methods of routes.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

func (s *service) endpoints() []kit.Endpoint {
	const path, doc = "/modules/:module_name/:module_path+", "Calls a route of an installed module."
	return []kit.Endpoint{
		kit.GET(path, kit.Users, s.route(http.MethodGet), doc),
		kit.POST(path, kit.Users, s.route(http.MethodPost), doc),
		kit.PUT(path, kit.Users, s.route(http.MethodPut), doc),
		kit.PATCH(path, kit.Users, s.route(http.MethodPatch), doc),
		kit.DELETE(path, kit.Users, s.route(http.MethodDelete), doc),
	}
}

type routeReq struct {
	Module string `json:"module_name"`
	Path   string `json:"module_path"`
	Params kit.Params
}

type routeRes = map[string]json.RawMessage

// routeCall is a request of a client, as a guest sees it.
type routeCall struct {
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Params map[string]string `json:"params"`
	User   guestUser         `json:"user"` // the caller
}

// guestUser is a user as a guest sees it.
type guestUser struct {
	ID     user.ID   `json:"id"`
	Name   string    `json:"name"`
	Role   user.Role `json:"role"`
	Bot    bool      `json:"bot,omitempty"`
	Active bool      `json:"active"`
}

func seen(u *user.User) guestUser { return guestUser{u.ID, u.FullName, u.Role, u.IsBot(), u.Active} }

// route handles the requests with a method. Responses are JSON, whatever the guest does. Errors: NotFound, BadRequest,
// Unavailable; those of the access rule.
func (s *service) route(method string) kit.Handler[routeReq, routeRes] {
	return func(ctx context.Context, a kit.Actor, in routeReq) (routeRes, error) {
		v, u, err := kit.Caller(ctx, s.Directory, a)
		if err != nil {
			return nil, err
		}
		g, err := find(v, in.Module)
		if err != nil {
			return nil, err
		}
		path := "/" + in.Path
		access, ok := g.Manifest.route(method, path)
		if !ok {
			return nil, errs.Absent("The module %s has no route %s %s.", g.Manifest.Name, method, path)
		}
		if err := access.Check(v, a); err != nil {
			return nil, err
		}
		if g.Disabled != "" {
			return nil, errs.New(errs.Unavailable, "The module %s is disabled.", g.Manifest.Name)
		}
		if !s.engine.Ready(g.Hash) {
			s.wanted.Store(true)
			return nil, errs.New(errs.Unavailable, "The module %s is being prepared.", g.Manifest.Name)
		}
		out, err := s.call(ctx, a.Realm, g, request{
			Kind: "route", Route: &routeCall{Method: method, Path: path, Params: in.Params, User: seen(u)},
		})
		if err != nil {
			return nil, err
		}
		if out.Error != "" {
			return nil, errs.Bad("%s", out.Error)
		}
		res := routeRes{}
		for key, text := range out.Body {
			if key != "result" && key != "msg" && key != "code" { // the server's
				res[key] = text
			}
		}
		return res, nil
	}
}
