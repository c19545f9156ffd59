// Package page serves server-rendered pages for users who follow a link: HTML with one form that needs no JavaScript.
// Pages load nothing (Illustrated ones: images of this server), cannot be framed, and do not leak their URL, which may
// contain a key. The referrer policy is not no-referrer, because browsers would then submit forms with the origin null
// over plain HTTP.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
)

//go:embed page.css
var style string

// Style returns the style sheet of all pages, for the <style> element of a template.
func Style() template.CSS { return template.CSS(style) } // #nosec G203 -- an embedded file

// MaxBody is the maximum size of a form in bytes.
const MaxBody = 16 << 10

// policy allows only the style sheet and forms submitted to the same origin.
var policy = "default-src 'none'; style-src 'sha256-" + digest(style) +
	"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Headers returns the headers of every page.
func Headers() map[string]string {
	return map[string]string{
		"Content-Security-Policy": policy, "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
		"X-Frame-Options": "DENY",
		"X-Robots-Tag":    "noindex", "Content-Type": "text/html; charset=utf-8", "Cross-Origin-Opener-Policy": "same-origin",
	}
}

// Illustrated is implemented by template data of pages that may show images of this server.
type Illustrated interface{ Illustrated() bool }

// Scripted is implemented by template data of pages with a script of their own, in a <script> element with exactly this
// text, which may send requests to this server. Such a page works without it as well. "": none.
type Scripted interface{ Script() template.JS }

// Sender is implemented by template data of pages whose form another site receives, directly or by a redirect.
type Sender interface{ Sends() bool }

// Content returns the data for a page's template. If it also returns an error, the page shows both.
type Content[T any] func(r *http.Request) (T, error)

// Handler returns a handler for GET, HEAD and POST that renders a template. In the template, .T, .H and .Count return
// texts in the reader's language, .Style is the style sheet, .Error the text of an error, and .Page the result of
// content. If that is a Redirector, the handler may redirect the browser instead. An *errs.Error is shown with its
// text. Other errors are logged and shown without details.
//
// Modules outside this repository pass the translations of their texts.
func Handler[T any](
	name string, t *template.Template, log *slog.Logger, content Content[T], texts ...language.Texts,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range Headers() {
			h.Set(name, value)
		}
		v := pageData[T]{Style: Style(), Words: wordsFor(r, nil, texts)}
		status := http.StatusOK
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodPost:
			var err error
			v.Page, err = content(r)
			v.Words = wordsFor(r, v.Page, texts)
			if err != nil {
				v.Error, status = describe(err, v.Words)
			}
			allowed := policy
			if p, ok := any(v.Page).(Illustrated); ok && p.Illustrated() {
				allowed += "; img-src 'self'"
			}
			if p, ok := any(v.Page).(Scripted); ok && p.Script() != "" {
				allowed += "; script-src 'sha256-" + digest(string(p.Script())) + "'; connect-src 'self'"
			}
			if p, ok := any(v.Page).(Sender); ok && p.Sends() {
				allowed = strings.Replace(allowed, "form-action 'self'; ", "", 1)
			}
			h.Set("Content-Security-Policy", allowed)
			to, cookies := redirectTarget(v.Page, err)
			for _, c := range cookies {
				http.SetCookie(w, c)
			}
			if to != "" {
				h.Set("Location", to)
				w.WriteHeader(http.StatusFound)
				return
			}
			if status == http.StatusTooManyRequests {
				h.Set("Retry-After", strconv.Itoa(wait(err)))
			}
			if status == http.StatusInternalServerError {
				log.ErrorContext(r.Context(), "a page failed", "page", name, "error", err)
				v.Page = *new(T)
			}
		default:
			h.Set("Allow", "GET, HEAD, POST")
			v.Error, status = v.T("This is a page."), http.StatusMethodNotAllowed
		}
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			log.ErrorContext(r.Context(), "a page can't be shown", "page", name, "error", err)
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
		_, _ = w.Write(b.Bytes())
	})
}

// redirectTarget returns the URL to which a Redirector redirects the browser, and the cookies to set; "" to show the
// page.
func redirectTarget(page any, err error) (string, []*http.Cookie) {
	if r, ok := page.(Redirector); ok && err == nil {
		return r.RedirectTarget()
	}
	return "", nil
}

// wait returns the number of seconds after which a rejected request may be retried.
func wait(err error) int {
	var refusal *errs.Error
	if errors.As(err, &refusal) {
		if s, ok := refusal.Extra["retry-after"].(float64); ok {
			return int(math.Ceil(s))
		}
	}
	return 1
}

type pageData[T any] struct {
	Words

	Style template.CSS
	Error string
	Page  T
}

// describe returns the text and status of an error.
func describe(err error, w Words) (string, int) {
	var refusal *errs.Error
	if !errors.As(err, &refusal) {
		return w.T("Something went wrong. Please try again."), http.StatusInternalServerError
	}
	if status := statuses[refusal.Code]; status != 0 {
		return refusal.In(w.T), status
	}
	return refusal.In(w.T), http.StatusBadRequest
}

var statuses = map[errs.Code]int{
	errs.NotFound: http.StatusNotFound, errs.NonexistentSubdomain: http.StatusNotFound,
	errs.RateLimit: http.StatusTooManyRequests,
	errs.TooLarge:  http.StatusRequestEntityTooLarge, errs.Unavailable: http.StatusServiceUnavailable,
	errs.CSRF: http.StatusForbidden,
}

// ReadForm reads the form from the body into r.PostForm. Errors: CSRF if a page of another origin sent the form,
// TooLarge, BadRequest.
func ReadForm(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return errs.New(errs.CSRF, "This form was sent from another site. Open the link itself.")
	}
	if err := r.ParseForm(); err != nil {
		var refusal *errs.Error
		if errors.As(err, &refusal) {
			return refusal
		}
		return errs.Bad("The form is invalid.")
	}
	return nil
}

// Host returns the host name in a request, which identifies the realm. The client controls it, so it must never be used
// in links.
func Host(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// Origin returns the scheme and host in a request. The client controls them: show them only to the sender, and never in
// links for others.
func Origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// ClientNetwork returns the client's IPv4 address, or the /64 prefix of its IPv6 address, which usually belongs to one
// subscriber.
func ClientNetwork(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if a := at.Addr().Unmap(); a.Is4() {
		return a.String()
	}
	p, err := at.Addr().Prefix(64)
	if err != nil {
		return r.RemoteAddr
	}
	return p.Addr().String()
}
