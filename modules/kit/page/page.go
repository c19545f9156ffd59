// Package page is what the plain pages have in common that the server makes itself, for people who come by a link: HTML
// without JavaScript, with one form. Nothing else is loaded, nobody shows them in a frame, and the address, which may
// hold a key, is told to nobody else. (Without any referrer, browsers would send forms from the origin null over plain
// HTTP.)
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
)

//go:embed page.css
var style string

// Style is the style of all pages, which a template puts into its <style>.
func Style() template.CSS { return template.CSS(style) } // #nosec G203 -- a file of ours

// MaxBody is how many bytes of form are read.
const MaxBody = 16 << 10

// policy lets a page show its own style and send its own form, and nothing else.
var policy = "default-src 'none'; style-src 'sha256-" + digest(
	style,
) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Headers are the headers of every page.
func Headers() map[string]string {
	return map[string]string{
		"Content-Security-Policy": policy, "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
		"X-Frame-Options": "DENY",
		"X-Robots-Tag":    "noindex", "Content-Type": "text/html; charset=utf-8", "Cross-Origin-Opener-Policy": "same-origin",
	}
}

// Answer gives what is shown for a request; with an error, what of it can be shown all the same.
type Answer[T any] func(r *http.Request) (T, error)

// Handler makes a page of a template. In it .Style is the style, .Error the text of a refusal, and .Page what answer
// gave. Where that is a Leader, the browser may be led elsewhere instead. GET, HEAD and POST are answered. A refusal
// of errs is told with its text; what else goes wrong is logged, and only said to have.
func Handler[T any](name string, t *template.Template, log *slog.Logger, answer Answer[T]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range Headers() {
			h.Set(name, value)
		}
		v := shown[T]{Style: Style()}
		status := http.StatusOK
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodPost:
			var err error
			if v.Page, err = answer(r); err != nil {
				v.Error, status = told(err)
			}
			if to, cookies := leads(v.Page, err); to != "" {
				for _, c := range cookies {
					http.SetCookie(w, c)
				}
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
			v.Error, status = "This is a page.", http.StatusMethodNotAllowed
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

// leads tells where the browser goes on once a page has done its work.
func leads(page any, err error) (string, []*http.Cookie) {
	if l, ok := page.(Leader); ok && err == nil {
		return l.Leads()
	}
	return "", nil
}

// wait gives the whole seconds after which what was refused may be tried again.
func wait(err error) int {
	var refusal *errs.Error
	if errors.As(err, &refusal) {
		if s, ok := refusal.Extra["retry-after"].(float64); ok {
			return int(math.Ceil(s))
		}
	}
	return 1
}

type shown[T any] struct {
	Style template.CSS
	Error string
	Page  T
}

// told gives what is said of an error.
func told(err error) (string, int) {
	var refusal *errs.Error
	if !errors.As(err, &refusal) {
		return "Something went wrong. Please try again.", http.StatusInternalServerError
	}
	if status := statuses[refusal.Code]; status != 0 {
		return refusal.Msg, status
	}
	return refusal.Msg, http.StatusBadRequest
}

var statuses = map[errs.Code]int{
	errs.NotFound: http.StatusNotFound, errs.NonexistentSubdomain: http.StatusNotFound,
	errs.RateLimit: http.StatusTooManyRequests,
	errs.TooLarge:  http.StatusRequestEntityTooLarge, errs.Unavailable: http.StatusServiceUnavailable,
	errs.CSRF: http.StatusForbidden,
}

// ReadForm reads the form that the page was sent with, from the body alone: r.PostForm has it then. Errors: CSRF for
// forms that a page of somebody else's has sent, TooLarge, BadRequest.
func ReadForm(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return errs.New(errs.CSRF, "This form was sent from another page. Open the link itself.")
	}
	if err := r.ParseForm(); err != nil {
		var refusal *errs.Error
		if errors.As(err, &refusal) {
			return refusal
		}
		return errs.Bad("The form can't be read.")
	}
	return nil
}

// Host is the name by which a request says that it reaches the server: to find a realm, and never to be written into a
// link.
func Host(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// Origin is the address that a request says it has reached, with its scheme: to be shown to whoever sent it, and never
// to be written into a link for others.
func Origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// From is where in the network a request comes from, as precisely as clients can be told apart.
func From(r *http.Request) string {
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
