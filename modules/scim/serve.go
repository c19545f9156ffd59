package scim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// call is an authenticated request.
type call struct {
	r     *http.Request
	realm realm.ID
	token *token
	base  string     // URL of the protocol
	by    user.Actor // has all permissions
}

// answer is the response to a call.
type answer struct {
	status   int
	body     any // nil: none
	version  string
	location string
}

// ServeHTTP authenticates a request before it reads the body.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := s.serve(r)
	if err != nil {
		s.handleError(w, r, err)
		return
	}
	if out.version != "" {
		w.Header().Set("ETag", out.version)
	}
	if out.location != "" {
		w.Header().Set("Location", out.location)
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}
	writeJSON(w, out.status, out.body)
}

func (s *service) serve(r *http.Request) (answer, error) {
	v, err := s.organization(r)
	if err != nil {
		return answer{}, err
	}
	id := v.Realm().ID
	t, err := s.authenticate(r.Context(), id, r)
	if err != nil {
		return answer{}, err
	}
	if t == nil {
		if err := s.recordStranger(r, id); err != nil {
			return answer{}, err
		}
		return answer{}, fail(http.StatusUnauthorized, "", "A valid bearer token of the organization is required.")
	}
	if !s.rates.take(t.ID) {
		return answer{}, fail(http.StatusTooManyRequests, "", "Too many requests; please try again later.")
	}
	done, err := s.turns.Acquire(r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	defer done()
	address, err := page.Address(r.Context(), s.Site, s.Realms, v.Realm())
	if err != nil {
		return answer{}, err
	}
	if address == "" {
		address = page.Origin(r)
	}
	by := ports.Request(r.Context())
	by.Realm, by.Client, by.Key = id, "SCIM ("+t.Name+")", user.KeyHash(t.Hash)
	c := &call{r: r.WithContext(ports.WithCaller(r.Context(), by)), realm: id, token: t, base: address + prefix}
	by.System = true
	c.by = by
	out, err := s.route(c)
	if f := failureOf(err); err != nil && f != nil && f.status == http.StatusForbidden {
		if err := s.recordRefusal(c, f); err != nil {
			return answer{}, err
		}
	}
	return out, err
}

// organization returns the view of the organization that a request is about. Errors: a failure if there is none.
func (s *service) organization(r *http.Request) (*directory.View, error) {
	id, err := s.Realms.Resolve(r.Context(), page.Host(r))
	if errs.Is(err, errs.NonexistentSubdomain) || err == nil && id == 0 {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	v, err := s.Directory.View(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if v.Realm() == nil || v.Realm().Deactivated {
		return nil, notFound()
	}
	return v, nil
}

// route calls what handles a request.
func (s *service) route(c *call) (answer, error) {
	path := strings.Split(strings.Trim(strings.TrimPrefix(c.r.URL.Path, prefix), "/"), "/")
	name, id := path[0], ""
	if len(path) > 1 {
		id = path[1]
	}
	if len(path) > 2 || len(path) == 2 && id == "" {
		return answer{}, notFound()
	}
	switch name {
	case "ServiceProviderConfig", "ResourceTypes", "Schemas":
		if !isRead(c.r.Method) {
			return answer{}, notAllowed()
		}
		return s.discover(c, name, id)
	case "Users":
		return s.resources(c, id, userHandlers(s))
	case "Groups":
		return s.resources(c, id, groupHandlers(s))
	case "Me", "Bulk", ".search":
		return answer{}, fail(http.StatusNotImplemented, "", "The server does not support this.")
	}
	return answer{}, notFound()
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func notAllowed() error {
	return fail(http.StatusMethodNotAllowed, "", "The resource does not support this method.")
}

// handlers handle the requests about a type of resources.
type handlers struct {
	list    func(*call) (answer, error)
	get     func(c *call, id int64) (answer, error)
	create  func(c *call, body []byte) (answer, error)
	replace func(c *call, id int64, body []byte) (answer, error)
	patch   func(c *call, id int64, body []byte) (answer, error)
	remove  func(c *call, id int64) (answer, error)
}

func (s *service) resources(c *call, name string, h handlers) (answer, error) {
	if name == "" {
		switch {
		case isRead(c.r.Method):
			return h.list(c)
		case c.r.Method == http.MethodPost:
			body, err := readBody(c.r)
			if err != nil {
				return answer{}, err
			}
			return h.create(c, body)
		}
		return answer{}, notAllowed()
	}
	if name == ".search" {
		if c.r.Method != http.MethodPost {
			return answer{}, notAllowed()
		}
		if err := c.search(); err != nil {
			return answer{}, err
		}
		return h.list(c)
	}
	id, ok := parseID(name)
	if !ok {
		return answer{}, notFound()
	}
	switch c.r.Method {
	case http.MethodGet, http.MethodHead:
		return h.get(c, id)
	case http.MethodDelete:
		return h.remove(c, id)
	case http.MethodPut, http.MethodPatch:
		body, err := readBody(c.r)
		if err != nil {
			return answer{}, err
		}
		if c.r.Method == http.MethodPut {
			return h.replace(c, id, body)
		}
		return h.patch(c, id, body)
	}
	return answer{}, notAllowed()
}

// search takes the parameters of a list from the body; see RFC 7644, section 3.4.3.
func (c *call) search() error {
	body, err := readBody(c.r)
	if err != nil {
		return err
	}
	var in struct {
		Filter     string   `json:"filter"`
		Attributes []string `json:"attributes"`
		Excluded   []string `json:"excludedAttributes"`
		Start      *int     `json:"startIndex"`
		Count      *int     `json:"count"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return fail(http.StatusBadRequest, "invalidSyntax", "The body is not a SearchRequest message.")
	}
	q := url.Values{
		"filter": {in.Filter}, "attributes": {strings.Join(in.Attributes, ",")},
		"excludedAttributes": {strings.Join(in.Excluded, ",")},
	}
	if in.Start != nil {
		q.Set("startIndex", strconv.Itoa(*in.Start))
	}
	if in.Count != nil {
		q.Set("count", strconv.Itoa(*in.Count))
	}
	to := *c.r.URL
	to.RawQuery = q.Encode()
	c.r.URL = &to
	return nil
}

// readBody reads the body. The edge limits its size. Errors: TooLarge, a failure.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var coded *errs.Error
	if err != nil && !errors.As(err, &coded) {
		return nil, fail(http.StatusBadRequest, "invalidSyntax", "The body cannot be read.")
	}
	return body, err
}

// change runs a change of a client in a transaction, after those of other clients of the organization. Errors:
// a failure if the token has been revoked meanwhile.
func (s *service) change(c *call, fn func(ctx context.Context, v *directory.View) error) error {
	return s.Work.Do(c.r.Context(), func(ctx context.Context) error {
		all, err := s.rows.LockTokens(ctx, c.realm)
		if err != nil {
			return err
		}
		for _, t := range all {
			if t.ID != c.token.ID {
				continue
			}
			v, err := s.Directory.View(ctx, c.realm)
			if err != nil {
				return err
			}
			return fn(ctx, v)
		}
		return fail(http.StatusUnauthorized, "", "A valid bearer token of the organization is required.")
	})
}
