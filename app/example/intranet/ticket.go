package intranet

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

const (
	minKey     = 32 // bytes
	ticketLife = time.Minute
)

// newState returns a cookie by which the browser is recognized that was sent to the intranet.
func newState(r *http.Request) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: stateName(r), Value: rand.Text(), Path: "/", HttpOnly: true, Secure: page.Secure(r),
		SameSite: http.SameSiteLaxMode, MaxAge: 600,
	}
}

// stateName returns the name of the cookie. Browsers accept the prefix only from the host itself.
func stateName(r *http.Request) string {
	if page.Secure(r) {
		return "__Host-intranet"
	}
	return "intranet"
}

// Ticket returns the parameters that the intranet adds to the link back, which contains the state: who has logged in
// there, and when, signed.
func Ticket(key, state, email string, at time.Time) url.Values {
	when := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(when + " " + state + " " + email))
	return url.Values{"email": {email}, "at": {when}, "ticket": {hex.EncodeToString(mac.Sum(nil))}}
}

// verify returns the address of the person to whom the intranet has given a ticket in this browser. Errors: BadRequest.
func (s *service) verify(r *http.Request) (string, error) {
	q := r.URL.Query()
	state, err := r.Cookie(stateName(r))
	if err != nil || subtle.ConstantTimeCompare([]byte(state.Value), []byte(q.Get("state"))) == 0 {
		return "", errs.Bad("This login did not begin in this browser. Please try again.")
	}
	at, err := strconv.ParseInt(q.Get("at"), 10, 64)
	signed := Ticket(string(s.cfg.Key), state.Value, q.Get("email"), time.Unix(at, 0)).Get("ticket")
	age := s.Clock.Now().Sub(time.Unix(at, 0))
	if err != nil || !hmac.Equal([]byte(signed), []byte(q.Get("ticket"))) || age < -ticketLife || age > ticketLife {
		return "", errs.Bad("This link is invalid.")
	}
	return q.Get("email"), nil
}

// admit refuses the login to other networks than those of the organization. It is asked about all requests.
func (s *service) admit(_ context.Context, r kit.Request) error {
	if r.Route != path || len(s.cfg.Networks) == 0 {
		return nil
	}
	for _, n := range s.cfg.Networks {
		if p, err := netip.ParsePrefix(n); err == nil && p.Contains(r.Address.Unmap()) {
			return nil
		}
	}
	return errs.New(errs.PermissionDenied, "This login works only in the organization's network.")
}
