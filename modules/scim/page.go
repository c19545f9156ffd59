package scim

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// Sizes of pages.
const (
	defaultPage = 100
	maxPage     = 200
)

// window is the part of a list that a client asks for.
type window struct{ start, count int }

// windowOf reads startIndex and count; see RFC 7644, section 3.4.2.4.
func windowOf(r *http.Request) (window, error) {
	w := window{1, defaultPage}
	q := r.URL.Query()
	for name, to := range map[string]*int{"startIndex": &w.start, "count": &w.count} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.Atoi(q.Get(name))
		if err != nil {
			return w, invalid(name + " must be a number.")
		}
		*to = n
	}
	w.start, w.count = max(1, w.start), min(max(0, w.count), maxPage)
	return w, nil
}

// cut returns the part of a list in the window.
func cut[T any](all []T, w window) []T {
	from := min(w.start-1, len(all))
	return all[from:min(from+w.count, len(all))]
}

// parseID returns the ID in a path. Other spellings of a number are unknown.
func parseID(text string) (int64, bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == text
}

// stamped returns a resource with its version.
func stamped(resource object, revision int64) (object, string) {
	meta := resource["meta"].(object)
	b, err := plainjson.Marshal([]any{resource, revision})
	if err != nil { // impossible: it consists of maps, lists, strings and booleans
		return resource, ""
	}
	sum := sha256.Sum256(b)
	version := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	meta["version"] = version
	return resource, version
}

// checkMatch checks the header If-Match. Errors: a failure if the resource has another version.
func checkMatch(r *http.Request, version string) error {
	given := r.Header.Get("If-Match")
	if given == "" || listsVersion(given, version) {
		return nil
	}
	return fail(http.StatusPreconditionFailed, "", "The resource has changed.")
}

func listsVersion(header, version string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(version, "W/") {
			return true
		}
	}
	return false
}

// shownResource answers with a resource, or that the client has it already.
func shownResource(c *call, t *schema.Resource, status int, resource object, version string) (answer, error) {
	location, _ := resource["meta"].(object)["location"].(string)
	if given := c.r.Header.Get("If-None-Match"); isRead(c.r.Method) && given != "" && listsVersion(given, version) {
		return answer{status: http.StatusNotModified, version: version}, nil
	}
	p, err := projectionOf(c.r, t)
	if err != nil {
		return answer{}, err
	}
	out := answer{status: status, body: p.apply(resource), version: version}
	if status == http.StatusCreated {
		out.location = location
	}
	return out, nil
}

// projection selects attributes; see RFC 7644, section 3.9.
type projection struct {
	t        *schema.Resource
	only     []string // empty: all
	excluded []string
}

// maxSelected is the maximum number of attributes in a parameter.
const maxSelected = 100

func projectionOf(r *http.Request, t *schema.Resource) (projection, error) {
	p := projection{t: t}
	for name, to := range map[string]*[]string{"attributes": &p.only, "excludedAttributes": &p.excluded} {
		for one := range strings.SplitSeq(r.URL.Query().Get(name), ",") {
			if one = strings.TrimSpace(one); one != "" {
				*to = append(*to, one)
			}
		}
		if len(*to) > maxSelected {
			return p, invalid(name + " lists too many attributes.")
		}
	}
	return p, nil
}

// apply returns the selected part of a resource.
func (p projection) apply(resource object) object {
	if len(p.only)+len(p.excluded) == 0 {
		return resource
	}
	out := object{}
	for key, v := range resource {
		urn := ""
		if p.t.Schema(key) != nil && strings.Contains(key, ":") {
			urn = key
		}
		switch {
		case key == "id" || key == "schemas":
			out[key] = v
		case urn != "":
			inner := object{}
			for name, x := range v.(object) {
				if kept := p.selected(urn, name, x); kept != nil {
					inner[name] = kept
				}
			}
			if len(inner) > 0 {
				out[key] = inner
			}
		default:
			if kept := p.selected("", key, v); kept != nil {
				out[key] = kept
			}
		}
	}
	return out
}

// selected returns the selected part of an attribute, or nil.
func (p projection) selected(urn, name string, v any) any {
	if len(p.only) > 0 {
		whole, subs := p.named(p.only, urn, name)
		switch {
		case whole:
			return v
		case len(subs) == 0:
			return nil
		}
		return eachValue(v, func(sub string) bool { return contains(subs, sub) })
	}
	whole, subs := p.named(p.excluded, urn, name)
	switch {
	case whole:
		return nil
	case len(subs) == 0:
		return v
	}
	return eachValue(v, func(sub string) bool { return !contains(subs, sub) })
}

// named reports whether a list names an attribute, or which of its sub-attributes.
func (p projection) named(list []string, urn, name string) (whole bool, subs []string) {
	for _, path := range list {
		of, rest := p.t.CutURN(path)
		if of == p.t.Core.ID {
			of = ""
		}
		if p.t.Schema(path) != nil && urn != "" && strings.EqualFold(path, urn) {
			return true, nil
		}
		if !strings.EqualFold(of, urn) {
			continue
		}
		attribute, sub, _ := strings.Cut(rest, ".")
		if !strings.EqualFold(attribute, name) {
			continue
		}
		if sub == "" {
			return true, nil
		}
		subs = append(subs, sub)
	}
	return false, subs
}

func contains(all []string, name string) bool {
	return slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, name) })
}

// eachValue returns the kept sub-attributes of each value.
func eachValue(v any, keep func(sub string) bool) any {
	switch x := v.(type) {
	case object:
		out := object{}
		for name, inner := range x {
			if keep(name) {
				out[name] = inner
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, one := range x {
			out[i] = eachValue(one, keep)
		}
		return out
	}
	return v
}
