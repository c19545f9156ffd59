package demo

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// checkLocalHost accepts only hosts that are IP addresses or localhost. Any other name may be owned by an attacker and
// resolve to this machine (DNS rebinding), which would let its pages log in as anyone. The check also prevents public
// access to a server that a proxy publishes under http.url. Errors: BadRequest.
func checkLocalHost(host string) error {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return errs.Bad(
			"Passwordless logins require that the client reaches the server by localhost or by IP address.",
		)
	}
	return nil
}

// checkLocalURL applies checkLocalHost to the URL that a client used to reach the server.
func checkLocalURL(site string) error {
	u, err := url.Parse(site)
	if err != nil {
		return checkLocalHost("")
	}
	return checkLocalHost(u.Host)
}
