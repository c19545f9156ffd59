package saml

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/crewjam/saml"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit/page"
)

// logOut handles a request to log out, which the browser of a person brings who has logged out at the provider or at
// another service. It answers the provider, which may have more services to tell.
func (s *service) logOut(w http.ResponseWriter, r *http.Request, p *provider) {
	v, address, err := s.at(r, p, p.logoutPath())
	if err != nil {
		page.Fail(w, r, err)
		return
	}
	if !method(w, r, http.MethodGet) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	w.Header().Set("Cache-Control", "no-store")
	if q := r.URL.Query(); q.Has("SAMLResponse") && !q.Has("SAMLRequest") {
		redirect(w, address+"/login/") // the answer to a request of ours, whose session has ended already
		return
	}
	m, err := p.metadata(ctx)
	if err != nil {
		s.Logger.WarnContext(ctx, "a request to log out cannot be verified", "provider", p.ID, "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	sp := p.sp(m, address)
	request, err := s.logoutRequest(ctx, p, sp, r, v.Realm().ID)
	if err != nil {
		s.Logger.WarnContext(ctx, "a request to log out is not valid", "provider", p.ID, "error", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := s.end(ctx, p, m, request, v.Realm().ID); err != nil {
		s.Logger.ErrorContext(ctx, "sessions could not be ended", "provider", p.ID, "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	to := logoutAddress(m)
	if to == "" { // the provider does not want to know
		redirect(w, address+"/login/")
		return
	}
	answers := saml.IDPSSODescriptor{}
	answers.SingleLogoutServices = []saml.Endpoint{{Binding: saml.HTTPRedirectBinding, Location: to}}
	sp.IDPMetadata = &saml.EntityDescriptor{IDPSSODescriptors: []saml.IDPSSODescriptor{answers}}
	onward, err := sp.MakeRedirectLogoutResponse(request.ID, r.URL.Query().Get("RelayState"))
	if err != nil {
		s.Logger.ErrorContext(ctx, "a request to log out cannot be answered", "provider", p.ID, "error", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	redirect(w, onward.String())
}

// logoutPage answers signin.LogoutPage with a request to log out at the provider, if its metadata is known and names
// where, and the server has a key to sign it.
func (s *service) logoutPage(_ context.Context, q signin.LogoutPage) (signin.Elsewhere, error) {
	for _, p := range s.providers {
		if p.about.ID != q.Provider || p.mine.key == nil || p.SubjectAttribute != "" || q.Address == "" {
			continue
		}
		m := p.fixed
		if m == nil && p.mu.TryLock() { // rather without the page than late
			m = p.known
			p.mu.Unlock()
		}
		if m == nil {
			continue
		}
		name, known := strings.CutPrefix(q.Subject, origin(m))
		at := requestAddress(m)
		if !known || checkURL(at) != nil {
			continue
		}
		sp := p.sp(m, q.Address)
		request, err := sp.MakeLogoutRequest(at, name)
		if err != nil {
			return signin.Elsewhere{}, err
		}
		to, err := sp.RedirectLogoutRequestURL(request, "")
		if err != nil {
			return signin.Elsewhere{}, err
		}
		return signin.Elsewhere{Name: p.Name, URL: to.String()}, nil
	}
	return signin.Elsewhere{}, nil
}

// requestAddress returns where the provider takes requests to log out, by redirects; "": nowhere.
func requestAddress(m *saml.EntityDescriptor) string {
	for _, d := range m.IDPSSODescriptors {
		for _, e := range d.SingleLogoutServices {
			if e.Binding == saml.HTTPRedirectBinding {
				return e.Location
			}
		}
	}
	return ""
}

// maxSessions is the maximum number of sessions that a request may name.
const maxSessions = 16

// logoutRequest returns the verified request to log out.
func (s *service) logoutRequest(
	ctx context.Context, p *provider, sp *saml.ServiceProvider, r *http.Request, of realm.ID,
) (*saml.LogoutRequest, error) {
	q := r.URL.Query()
	if q.Get("Signature") == "" || q.Get("SigAlg") == "" {
		return nil, errors.New("the address is not signed")
	}
	doc, err := inflate(q)
	if err != nil {
		return nil, err
	}
	about, err := inspect(doc, xml.Name{Space: nsProtocol, Local: "LogoutRequest"}, p.AllowSHA1)
	if err != nil {
		return nil, err
	}
	if about.signed["LogoutRequest"] || about.assertions > 0 {
		return nil, errors.New("the message is signed itself, rather than its address")
	}
	request, err := sp.ValidateLogoutRequest(r)
	if err != nil {
		return nil, why(err)
	}
	if request.NameID == nil {
		return nil, errors.New("the message names nobody")
	}
	return request, s.useOnce(ctx, p, of, "logout "+request.ID)
}

// maxLogout is the maximum size of an inflated request in bytes.
const maxLogout = 64 << 10

// inflate returns the message of a redirect, up to a size.
func inflate(q url.Values) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(q.Get("SAMLRequest"))
	if err != nil {
		return nil, err
	}
	f := flate.NewReader(bytes.NewReader(packed))
	defer func() { _ = f.Close() }()
	doc, err := io.ReadAll(io.LimitReader(f, maxLogout+1))
	if err == nil && len(doc) > maxLogout {
		err = fmt.Errorf("the message is larger than %d bytes", maxLogout)
	}
	return doc, err
}

// end ends the sessions that a request names: those that began with one of its sessions at the provider, or all of the
// person.
func (s *service) end(
	ctx context.Context, p *provider, m *saml.EntityDescriptor, request *saml.LogoutRequest, of realm.ID,
) error {
	indexes := request.AllSessionIndexes()
	for _, index := range indexes[:min(len(indexes), maxSessions)] {
		if err := s.Identities.LogOut(ctx, of, p.about, "", session(m, request.NameID, index.Value)); err != nil {
			return err
		}
	}
	switch {
	case len(indexes) > 0:
		return nil
	case p.SubjectAttribute != "": // of which the request says nothing
		return s.Identities.LogOut(ctx, of, p.about, "", session(m, request.NameID, ""))
	}
	return s.Identities.LogOut(ctx, of, p.about, origin(m)+request.NameID.Value, "")
}
