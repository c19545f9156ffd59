package intranet

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	minKey     = 32 // bytes
	ticketLife = time.Minute
)

// Ticket returns the parameters that the intranet adds to the link back: who has logged in there, and when, signed.
func Ticket(key, email string, at time.Time) url.Values {
	when := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(when + " " + email))
	return url.Values{"email": {email}, "at": {when}, "ticket": {hex.EncodeToString(mac.Sum(nil))}}
}

// verify returns the address of the person to whom the intranet has given a ticket. Errors: BadRequest.
func (s *service) verify(q url.Values) (string, error) {
	at, err := strconv.ParseInt(q.Get("at"), 10, 64)
	signed := Ticket(string(s.cfg.Key), q.Get("email"), time.Unix(at, 0)).Get("ticket")
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
