package invites

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// policy lets the page show its own style and send its own form, and nothing else.
var policy = "default-src 'none'; style-src 'sha256-" + digest(pageStyle) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// shown is what is on the page.
type shown struct {
	Style   template.CSS
	Realm   string
	Inviter string // who invites, if anybody does
	Error   string

	Form     bool
	Email    string // what was typed, or is proven
	Proven   bool
	Name     string
	Password bool // an account is made: a name and a password are asked for

	Sent   bool // a mail has been sent
	Joined bool
	Site   string // where to log in
}

// page shows what an invitation is for, and takes the answer. Nothing happens by looking at it: mail programs do that too.
func (s *service) page(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		"X-Robots-Tag": "noindex", "Content-Type": "text/html; charset=utf-8", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		h.Set(name, value)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		h.Set("Allow", "GET, HEAD, POST")
		s.show(w, http.StatusMethodNotAllowed, shown{Error: "This is a page."})
		return
	}
	p, err := s.answer(r)
	status := http.StatusOK
	var refusal *errs.Error
	switch {
	case err == nil:
	case errors.As(err, &refusal):
		p.Error = refusal.Msg
		if status = statuses[refusal.Code]; status == 0 {
			status = http.StatusBadRequest
		}
	default:
		s.Logger.ErrorContext(r.Context(), "the page of an invitation failed", "error", err)
		p, status = shown{Error: "Something went wrong. Please try again."}, http.StatusInternalServerError
	}
	s.show(w, status, p)
}

var statuses = map[errs.Code]int{
	errs.NotFound: http.StatusNotFound, errs.NonexistentSubdomain: http.StatusNotFound, errs.RateLimit: http.StatusTooManyRequests,
	errs.TooLarge: http.StatusRequestEntityTooLarge, errs.Unavailable: http.StatusServiceUnavailable, errs.CSRF: http.StatusForbidden,
}

func (s *service) show(w http.ResponseWriter, status int, p shown) {
	p.Style = template.CSS(pageStyle) // #nosec G203 -- a file of ours
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		s.Logger.Error("the page of an invitation can't be shown", "error", err)
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// answer gives the page for a request; with an error, what of it can be shown all the same.
func (s *service) answer(r *http.Request) (shown, error) {
	ctx := r.Context()
	e := entrant{From: from(r.RemoteAddr)}
	var err error
	if e.Key, err = keyOf(r); err != nil {
		return shown{}, err
	}
	if e.Key == "" {
		if e.Realm, err = s.Realms.Resolve(ctx, hostOf(r)); err == nil && e.Realm == 0 {
			err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
		}
		if err != nil {
			return shown{}, err
		}
	}
	v, d, err := s.open(ctx, e.Realm, e.Key)
	if err != nil {
		return shown{}, err
	}
	p := shown{Realm: v.Realm().Settings.Name, Form: true, Email: d.email, Proven: d.email != "", Password: !d.confirm}
	if p.Site, err = s.site(ctx, v.Realm()); err != nil {
		return shown{}, err
	}
	if p.Site == "" {
		p.Site = r.Host
	}
	if d.by != nil && v.User(d.by.Inviter) != nil {
		p.Inviter = v.User(d.by.Inviter).FullName
	}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if err := sameSite(r); err != nil {
		return shown{}, err
	}
	if err := r.ParseForm(); err != nil {
		var refusal *errs.Error
		if errors.As(err, &refusal) {
			return shown{}, refusal
		}
		return shown{}, errs.Bad("The form can't be read.")
	}
	e.Email, e.Name, e.Password = r.PostForm.Get("email"), r.PostForm.Get("full_name"), r.PostForm.Get("password")
	j, err := s.join(ctx, e)
	if err != nil {
		if p.Name = e.Name; !p.Proven {
			p.Email = e.Email
		}
		if errs.Is(err, errs.NotFound) {
			return shown{}, err
		}
		return p, err
	}
	p.Form, p.Sent, p.Joined, p.Email = false, j.Confirm, !j.Confirm, j.Email
	return p, nil
}

// keyOf gives the key in the address of the page; "" for the page that needs none. Errors: NotFound.
func keyOf(r *http.Request) (string, error) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	if path == openPath {
		return "", nil
	}
	for _, prefix := range []string{linkPath + "/", mailPath + "/"} {
		if key, ok := strings.CutPrefix(path, prefix); ok && key != "" {
			return key, nil
		}
	}
	return "", over()
}

// sameSite refuses forms that a page of somebody else's has sent. Errors: CSRF.
func sameSite(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return errs.New(errs.CSRF, "This form was sent from another page. Open the link itself.")
	}
	return nil
}

func hostOf(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// from is where in the network a request comes from, as precisely as clients can be told apart.
func from(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	if a := at.Addr().Unmap(); a.Is4() {
		return a.String()
	}
	p, err := at.Addr().Prefix(64)
	if err != nil {
		return remote
	}
	return p.Addr().String()
}
