package fiberhttp

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// origin determines the realm and URL that the client used. Only routes about the server itself accept requests to
// deactivated realms. Errors: NonexistentSubdomain, RealmDeactivated, BadRequest, Unavailable.
func (x *request) origin(ctx context.Context) error {
	host := hostOf(string(x.c.Context().Host()))
	if err := x.setConnection(host); err != nil {
		return err
	}
	if strings.Contains(host, ":") {
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
	}
	var err error
	x.actor.Realm, err = x.s.Realms.Resolve(ctx, strings.Trim(host, "[]"))
	switch {
	case x.route.Realmless && errs.Is(err, errs.NonexistentSubdomain): // the route needs no realm
		return errs.Bad("Invalid subdomain")
	case err != nil || x.route.Realmless:
		return err
	case x.actor.Realm == 0:
		return errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	v, err := x.s.Directory.View(ctx, x.actor.Realm)
	if err == nil && v.Realm() != nil && v.Realm().Deactivated {
		return errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	}
	if errs.Is(err, errs.NotFound) { // a realm without a record has no accounts
		return nil
	}
	return err
}

// hostOf normalizes a Host header for comparison: lower case, without a trailing dot.
func hostOf(header string) string {
	host := strings.ToLower(header)
	if name, port, ok := strings.Cut(host, ".:"); ok {
		return name + ":" + port
	}
	return strings.TrimSuffix(host, ".")
}

// setConnection sets the actor's fields that describe the connection. Errors: BadRequest.
func (x *request) setConnection(host string) error {
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:[]") != "" {
		return errs.Bad("Invalid Host header.")
	}
	x.actor = x.stranger()
	if x.session {
		x.browser()
	}
	if host == "" {
		host = x.s.addr
	}
	x.actor.URL = realmURL(x.s.cfg.URL, x.scheme(), host)
	return nil
}

// stranger returns the actor of a request without a login.
func (x *request) stranger() user.Actor {
	agent := agentOf(x.c.Request().Header.UserAgent())
	return user.Actor{
		From: network(x.clientAddr()).String(), Agent: agent, Client: clientName(agent), Request: x.id, Route: x.route.label,
	}
}

// browser sets a session's client name. The desktop app identifies itself as Zulip; anything else is a browser.
func (x *request) browser() {
	if !strings.HasPrefix(x.actor.Client, "Zulip") {
		x.actor.Client = "website"
	}
}

// realmURL returns the URL at which a client reached a realm. The scheme and any prefix come from the configured URL if
// there is one; realms other than the root have their name prepended to its host.
func realmURL(known, scheme, host string) string {
	if known == "" {
		return scheme + "://" + host
	}
	root, err := url.Parse(known)
	if err != nil {
		return known
	}
	name, _, _ := strings.Cut(host, ":")
	if sub, ok := strings.CutSuffix(name, "."+strings.ToLower(root.Hostname())); ok && sub != "" &&
		!strings.Contains(sub, ".") {
		root.Host = sub + "." + root.Host
		return root.String()
	}
	return known
}

// scheme returns the scheme with which the client has sent the request. If the server's URL begins with https, clients
// use HTTPS: a proxy that does not say so must not weaken cookies.
func (x *request) scheme() string {
	if x.s.cfg.secure() {
		return "https"
	}
	if !x.s.trusts(x.remoteAddr()) {
		return "http"
	}
	if protos := x.forwarded(fiber.HeaderXForwardedProto); strings.EqualFold(protos[len(protos)-1], "https") {
		return "https"
	}
	return "http"
}

// forwarded returns the values of a proxy header in all its lines, the nearest proxy last. There is at least one value.
func (x *request) forwarded(header string) []string {
	var all []string
	for _, line := range x.c.Request().Header.PeekAll(header) {
		for word := range strings.SplitSeq(string(line), ",") {
			all = append(all, strings.TrimSpace(word))
		}
	}
	return append([]string{""}, all...)
}

// proxied reports whether the request has passed through a proxy.
func (x *request) proxied() bool {
	h := &x.c.Request().Header
	return len(h.Peek(fiber.HeaderXForwardedFor)) > 0 || len(h.Peek("Forwarded")) > 0 || len(h.Peek("X-Real-Ip")) > 0
}

// maxUntrusted limits how many addresses with ignored forwarded headers are logged.
const maxUntrusted = 8

// warnIgnoredHeaders logs that forwarded headers are ignored, once per address and for a few addresses only. The sender
// may be a reverse proxy missing from the configuration, in which case all clients appear to have its address.
func (x *request) warnIgnoredHeaders() {
	if !x.proxied() {
		return
	}
	peer := x.remoteAddr()
	if x.s.trusts(peer) {
		return
	}
	s := x.s
	s.untrustedMu.Lock()
	_, known := s.untrusted[peer]
	if known = known || len(s.untrusted) >= maxUntrusted; !known {
		s.untrusted[peer] = struct{}{}
	}
	s.untrustedMu.Unlock()
	if !known {
		s.Log.Warn("forwarded headers are ignored; if this address is your reverse proxy, add it to http.trusted_proxies",
			"remote", peer.String())
	}
}

// checkLocal refuses proxied requests to development routes, since all clients behind a proxy appear to be local.
// Errors: BadRequest.
func (x *request) checkLocal() error {
	if x.route.LocalOnly && x.proxied() {
		return errs.Bad("This endpoint is for development only and not available through a proxy.")
	}
	return nil
}

// remoteAddr returns the remote address of the connection.
func (x *request) remoteAddr() netip.Addr {
	a, _ := netip.AddrFromSlice(x.c.Context().RemoteIP())
	return a.Unmap()
}

// clientAddr returns the client's address: the last forwarded address that is not a trusted proxy's.
func (x *request) clientAddr() netip.Addr {
	at := x.remoteAddr()
	if !x.s.trusts(at) {
		return at
	}
	hops := x.forwarded(fiber.HeaderXForwardedFor)
	for i := len(hops) - 1; i >= 0 && x.s.trusts(at); i-- {
		hop, err := netip.ParseAddr(hops[i])
		if err != nil {
			break
		}
		at = hop.Unmap()
	}
	return at
}

func (s *Server) trusts(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
