package homepage

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed organizations.html
var organizationsText string

var organizationsTemplate = template.Must(template.New("organizations").Parse(organizationsText))

// organization is an organization as listed on the page and in the response.
type organization struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Icon    string `json:"icon_url"`
	Current bool   `json:"current"` // the request was sent to this organization
	ID      string `json:"-"`       // its subdomain, or rootName
}

// organizationsData is the data of the page.
type organizationsData struct {
	Organizations []organization
	Find          bool   // organizations have subdomains, so they can be found by name
	Domain        string // the suffix shown after the name, such as .example.com
	Name          string // as the user typed it
	Found         *organization

	to      string
	cookies []*http.Cookie
}

// RedirectTarget implements page.Redirector.
func (p organizationsData) RedirectTarget() (string, []*http.Cookie) { return p.to, p.cookies }

// organizationsPage lists the organizations in the browser's cookie, finds others by name, and removes one from the
// list. The page does not depend on which accounts exist.
func (s *service) organizationsPage(r *http.Request) (organizationsData, error) {
	if strings.TrimSuffix(r.URL.Path, "/") != organizationsPath {
		return organizationsData{}, errs.New(errs.NotFound, "This page does not exist.")
	}
	ctx := r.Context()
	var p organizationsData
	names := cookieNames(r)
	if root, err := url.Parse(s.Site.URL()); err == nil && root.Hostname() != "" {
		p.Find, p.Domain = true, "."+root.Hostname()
	}
	var err error
	if p.Organizations, err = s.organizations(ctx, names, page.Host(r)); err != nil || r.Method != http.MethodPost {
		return p, err
	}
	if err := page.ReadForm(r); err != nil {
		return p, err
	}
	if id := r.PostForm.Get("forget"); id != "" {
		p.to = organizationsPath + "/"
		p.cookies = []*http.Cookie{namesCookie(r, s.Site.URL(), removeName(names, id))}
		return p, nil
	}
	p.Name = r.PostForm.Get("name")
	name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(p.Name)), p.Domain)
	if !p.Find || !validName(name) || name == rootName {
		return p, errs.Bad("There is no organization with this name.")
	}
	// The page shows a link instead of redirecting, because its content policy keeps forms from leading to other hosts
	// (form-action).
	if p.Found, err = s.organization(ctx, name); err == nil && p.Found == nil {
		err = errs.Bad("There is no organization with this name.")
	}
	return p, err
}

// organizations returns the active organizations among names, in the same order.
func (s *service) organizations(ctx context.Context, names []string, host string) ([]organization, error) {
	here, err := s.realmAt(ctx, host)
	if err != nil {
		return nil, err
	}
	all := []organization{}
	for _, name := range names {
		one, err := s.organization(ctx, name)
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue
		}
		one.Current = here != nil && nameOf(here) == name
		all = append(all, *one)
	}
	return all, nil
}

// organization returns the active organization with a name, or nil.
func (s *service) organization(ctx context.Context, name string) (*organization, error) {
	root, err := url.Parse(s.Site.URL())
	if err != nil || root.Hostname() == "" {
		return nil, err
	}
	host := root.Hostname()
	if name != rootName {
		host = name + "." + host
	}
	r, err := s.realmAt(ctx, host)
	if err != nil || r == nil || nameOf(r) != name {
		return nil, err
	}
	address, err := page.Address(ctx, s.Site, s.Realms, r)
	return &organization{Name: r.Settings.Name, URL: address, Icon: r.EmblemURL(realm.Icon), ID: name}, err
}

// realmAt returns the active organization at a host name, or nil.
func (s *service) realmAt(ctx context.Context, host string) (*realm.Realm, error) {
	id, err := s.Realms.Resolve(ctx, host)
	if errs.Is(err, errs.NonexistentSubdomain) || err == nil && id == 0 {
		return nil, nil
	}
	var v *directory.View
	if err == nil {
		v, err = s.Directory.View(ctx, id)
	}
	switch {
	case errs.Is(err, errs.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case v.Realm() == nil || v.Realm().Deactivated:
		return nil, nil
	}
	return v.Realm(), nil
}

// nameOf returns the name that the cookie contains for an organization.
func nameOf(r *realm.Realm) string {
	if r.StringID == "" {
		return rootName
	}
	return r.StringID
}

type organizationsReq struct {
	Cookie string `default:"" header:"Cookie"`
}

type organizationsRes struct {
	Organizations []organization `json:"organizations"`
}

// list handles GET /organizations.
func (s *service) list(ctx context.Context, a kit.Actor, in organizationsReq) (organizationsRes, error) {
	r := &http.Request{Header: http.Header{"Cookie": {in.Cookie}}}
	u, err := url.Parse(a.URL)
	if err != nil {
		return organizationsRes{}, err
	}
	all, err := s.organizations(ctx, cookieNames(r), u.Hostname())
	return organizationsRes{all}, err
}

// rememberRealm adds the organization to the front of the browser's cookie.
func (s *service) rememberRealm(w http.ResponseWriter, r *http.Request, id realm.ID) {
	v, err := s.Directory.View(r.Context(), id)
	if err != nil || v.Realm() == nil {
		return
	}
	names := cookieNames(r)
	if name := nameOf(v.Realm()); len(names) == 0 || names[0] != name {
		http.SetCookie(w, namesCookie(r, s.Site.URL(), addName(names, name)))
	}
}
