package saml

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit/page"
)

// Paths of the pages. The provider's own path follows.
const (
	loginPath    = "/accounts/login/social"
	signUpPath   = "/accounts/register/social"
	completePath = "/complete"
)

// methods answers signin.Methods.
func (s *service) methods(ctx context.Context, q signin.Methods) ([]signin.Method, error) {
	if q.Realm == 0 {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	var out []signin.Method
	for _, p := range s.providers {
		if !p.serves(v) {
			continue
		}
		m := signin.Method{
			Name: p.about.ID, DisplayName: p.Name, Provider: true,
			LoginURL: loginPath + p.path(), SignUpURL: signUpPath + p.path(),
		}
		if p.Icon != "" {
			m.Icon = &p.Icon
		}
		out = append(out, m)
	}
	return out, nil
}

// manages answers signin.Manages.
func (s *service) manages(ctx context.Context, q signin.Manages) (signin.Provider, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return signin.Provider{}, err
	}
	for _, p := range s.providers {
		if p.about.ID == q.Provider && p.serves(v) {
			return p.about, nil
		}
	}
	return signin.Provider{}, nil
}

// serves reports whether an organization can use the provider.
func (p *provider) serves(v *directory.View) bool {
	return v.Realm() != nil && (p.Realm == "" || p.Realm == v.Realm().StringID)
}

// at returns the view of the organization that a request to a path of the provider is about, and its public address,
// which never comes from the request: assertions are made for an address, and those for another server must not count.
// Errors: NotFound, Unavailable.
func (s *service) at(r *http.Request, p *provider, paths ...string) (*directory.View, string, error) {
	missing := errs.New(errs.NotFound, "This page does not exist.")
	if !slices.Contains(paths, strings.TrimSuffix(r.URL.Path, "/")) {
		return nil, "", missing
	}
	id, err := s.Realms.Resolve(r.Context(), page.Host(r))
	if errs.Is(err, errs.NonexistentSubdomain) || err == nil && id == 0 {
		return nil, "", missing
	}
	if err != nil {
		return nil, "", err
	}
	v, err := s.Directory.View(r.Context(), id)
	if err != nil {
		return nil, "", err
	}
	if !p.serves(v) {
		return nil, "", missing
	}
	address, err := page.Address(r.Context(), s.Site, s.Realms, v.Realm())
	return v, address, err
}

// method answers requests with a method that a page does not have, and reports whether it did not have to.
func method(w http.ResponseWriter, r *http.Request, allowed ...string) bool {
	if slices.Contains(allowed, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	w.WriteHeader(http.StatusMethodNotAllowed)
	return false
}

// describe handles requests for the server's metadata.
func (s *service) describe(w http.ResponseWriter, r *http.Request, p *provider) {
	_, address, err := s.at(r, p, p.metadataPath())
	if err != nil {
		page.Fail(w, r, err)
		return
	}
	if !method(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	m := p.sp(nil, address).Metadata()
	for i := range m.SPSSODescriptors {
		for j := range m.SPSSODescriptors[i].KeyDescriptors { // without AES-CBC, which must not be used any more
			k := &m.SPSSODescriptors[i].KeyDescriptors[j]
			k.EncryptionMethods = slices.DeleteFunc(k.EncryptionMethods, func(e saml.EncryptionMethod) bool {
				return strings.HasSuffix(e.Algorithm, "-cbc")
			})
		}
	}
	doc, err := xml.MarshalIndent(m, "", "  ")
	if err != nil {
		page.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/samlmetadata+xml")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(append([]byte(xml.Header), doc...)) //nolint:gosec // made by encoding/xml, and not HTML
}

// begin handles the button on the login page: it sends the browser to the provider.
func (s *service) begin(w http.ResponseWriter, r *http.Request, p *provider) {
	_, address, err := s.at(r, p, loginPath+p.path(), signUpPath+p.path())
	switch {
	case err != nil:
		page.Fail(w, r, err)
		return
	case !method(w, r, http.MethodGet, http.MethodHead):
		return
	case !strings.EqualFold(address, page.Origin(r)): // the answer arrives there, and so must the cookie
		redirect(w, address+r.URL.RequestURI())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	m, err := p.metadata(ctx)
	if err != nil {
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
		return
	}
	started, ok := s.Identities.Begin(w, r, p.about, r.URL.Query().Has("connect"))
	if !ok {
		return
	}
	if err := s.send(w, r, p, m, address, started); err != nil {
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
	}
}

// requestID returns the ID of the request of a login, which the answer must name.
func requestID(s signin.Started) string { return "id-" + s.Nonce }

// send sends the browser to the provider with a request.
func (s *service) send(
	w http.ResponseWriter, r *http.Request, p *provider, m *saml.EntityDescriptor, address string, started signin.Started,
) error {
	sp := p.sp(m, address)
	to, binding := p.loginAddress(m)
	signed := sp.SignatureMethod
	sp.SignatureMethod = "" // the ID is part of what is signed
	request, err := sp.MakeAuthenticationRequest(to, binding, saml.HTTPPostBinding)
	if err != nil {
		return err
	}
	request.ID, sp.SignatureMethod = requestID(started), signed
	if binding == saml.HTTPRedirectBinding {
		u, err := request.Redirect(started.State, sp)
		if err != nil {
			return err
		}
		redirect(w, u.String())
		return nil
	}
	if signed != "" {
		if err := sp.SignAuthnRequest(request); err != nil {
			return err
		}
	}
	tree := etree.NewDocument()
	tree.SetRoot(request.Element())
	doc, err := tree.WriteToBytes()
	if err != nil {
		return err
	}
	s.post(w, r, p, to, "SAMLRequest", base64.StdEncoding.EncodeToString(doc), started.State)
	return nil
}

func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

// complete handles the provider's answer, which a form brings.
func (s *service) complete(w http.ResponseWriter, r *http.Request, p *provider) {
	v, address, err := s.at(r, p, p.completePath())
	switch {
	case err != nil:
		page.Fail(w, r, err)
		return
	case !method(w, r, http.MethodPost):
		return
	}
	if err := r.ParseForm(); err != nil {
		s.Identities.Refuse(w, r, p.about, signin.BadAnswer, err)
		return
	}
	answer, state := r.PostForm.Get("SAMLResponse"), r.PostForm.Get("RelayState")
	unsolicited := p.IDPInitiated && strings.TrimSuffix(state, "/") == address
	switch {
	case unsolicited:
	case !s.Identities.Recognizes(r) && !r.PostForm.Has(posted):
		// A browser that does not send the cookie with a form of another site sends it with one of ours.
		s.post(w, r, p, p.answersTo(address), "SAMLResponse", answer, state)
		return
	}
	r = asVisit(r)
	var started signin.Started
	var ok bool
	if unsolicited {
		started, ok = s.Identities.Begin(w, r, p.about, false)
	} else {
		started, ok = s.Identities.Resume(w, r, p.about, state)
	}
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	want := expected{realm: v.Realm().ID, address: address}
	if !unsolicited {
		want.request = requestID(started)
	}
	id, err := s.read(ctx, p, answer, want)
	switch {
	case errors.Is(err, errUnreachable):
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
	case errors.Is(err, errOutside):
		s.Identities.Refuse(w, r, p.about, signin.Outside, err)
	case errors.Is(err, errDenied):
		s.Identities.Refuse(w, r, p.about, signin.Denied, err)
	case err != nil:
		s.Identities.Refuse(w, r, p.about, signin.BadAnswer, err)
	default:
		s.Identities.Finish(w, r, p.about, started, id)
	}
}

// asVisit returns a request as if the browser had come by a redirect, since it has no form of ours to return to. An
// answer that the server has not asked for begins nothing but a login.
func asVisit(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	r.Method, r.URL.RawQuery = http.MethodGet, ""
	return r
}
