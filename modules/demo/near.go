package demo

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// nearby refuses clients that have reached the server under a name which somebody else may own: such a name can be made
// to mean this machine (DNS rebinding), and a page under it would be let in as anybody. An address can't, nor can
// localhost. It also keeps a server that a proxy makes public under http.url from letting the public in. Errors:
// BadRequest.
func nearby(host string) error {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return errs.Bad(
			"Logins without a password are only for clients that reach the server by localhost or by its address.",
		)
	}
	return nil
}

// nearbyURL is nearby for how a client reached the server.
func nearbyURL(site string) error {
	u, err := url.Parse(site)
	if err != nil {
		return nearby("")
	}
	return nearby(u.Host)
}
