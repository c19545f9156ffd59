// Package guard restricts the addresses that the server connects to on behalf of users. All adapters that read web
// pages or call services use it.
package guard

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Guard restricts connections. A host is checked after it has been resolved, when the connection is made, so a name
// that resolves to a different address the second time gains nothing.
type Guard struct {
	Ports   []int
	High    bool           // also allow all ports from 1024
	Allowed []netip.Prefix // non-public networks that are allowed
}

// RefusedError reports a forbidden address. Retrying is pointless.
type RefusedError struct{ why string }

func (r RefusedError) Error() string { return r.why }

func refused(format string, args ...any) error { return RefusedError{fmt.Sprintf(format, args...)} }

// Address refuses URLs that cannot be allowed: those with other schemes or ports or with credentials, and hosts that
// are non-public addresses or numbers that some systems interpret as addresses.
func (g Guard) Address(u *url.URL) error {
	host := u.Hostname()
	port, ok := portOf(u)
	switch {
	case !ok:
		return refused("scheme %q is not allowed", u.Scheme)
	case host == "" || u.User != nil:
		return refused("no host, or credentials")
	case !g.port(port):
		return refused("port %d is not allowed", port)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return g.ip(ip)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || '0' <= last[0] && last[0] <= '9' {
		return refused("%q is not the name of a host", host)
	}
	return nil
}

func portOf(u *url.URL) (int, bool) {
	port, ok := 0, true
	switch u.Scheme {
	case "http":
		port = 80
	case "https":
		port = 443
	default:
		ok = false
	}
	if p := u.Port(); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil {
			return 0, ok
		}
		port = n
	}
	return port, ok
}

// Control is the Control function of a net.Dialer. It checks each resolved address before anything is sent to it.
func (g Guard) Control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return err
	case network != "tcp4" && network != "tcp6":
		return refused("network %s", network)
	case !g.port(int(to.Port())):
		return refused("port %d is not allowed", to.Port())
	}
	return g.ip(to.Addr())
}

func (g Guard) port(p int) bool {
	return slices.Contains(g.Ports, p) || g.High && p >= 1024 && p <= 65535
}

func (g Guard) ip(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	for _, p := range g.Allowed {
		if p.Contains(ip) {
			return nil
		}
	}
	if !public(ip) {
		return refused("%s is not public, and in none of the configured networks", ip)
	}
	return nil
}

// reserved lists the non-public networks of IPv4 and of the global unicast range of IPv6: IANA's registries of
// special-purpose addresses, and addresses of services inside clouds.
const reserved = `
	0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
	192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
	203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48
	3fff::/20`

// public reports whether an address is publicly routable. IPv6 addresses that embed IPv4 addresses count as non-public.
func public(ip netip.Addr) bool {
	if ip.Is6() && !netip.MustParsePrefix("2000::/3").Contains(ip) {
		return false
	}
	for n := range strings.FieldsSeq(reserved) {
		if netip.MustParsePrefix(n).Contains(ip) {
			return false
		}
	}
	return ip.IsGlobalUnicast()
}
