package webpage

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// guard decides where a connection may go. What a name leads to is known only when the connection is made, so that is where
// it is checked: a name that leads elsewhere the second time gains nothing.
type guard struct {
	ports   []int
	allowed []netip.Prefix // though not public
}

// address refuses what need not be tried: other schemes and ports, credentials, and hosts that are written as addresses that
// are not public, or as numbers that some systems take for addresses.
func (g guard) address(u *url.URL) error {
	host := u.Hostname()
	port, ok := portOf(u)
	switch {
	case !ok:
		return fmt.Errorf("%q is not a scheme of the web", u.Scheme)
	case host == "" || u.User != nil:
		return errors.New("no host, or credentials")
	case !slices.Contains(g.ports, port):
		return fmt.Errorf("port %d is not asked", port)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return g.ip(ip)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || '0' <= last[0] && last[0] <= '9' {
		return fmt.Errorf("%q is not the name of a host", host)
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

// control is the Control of a net.Dialer: it sees each address, after names are resolved, before anything is sent to it.
func (g guard) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return err
	case network != "tcp4" && network != "tcp6":
		return fmt.Errorf("network %s", network)
	case !slices.Contains(g.ports, int(to.Port())):
		return fmt.Errorf("port %d is not asked", to.Port())
	}
	return g.ip(to.Addr())
}

func (g guard) ip(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	for _, p := range g.allowed {
		if p.Contains(ip) {
			return nil
		}
	}
	if !public(ip) {
		return fmt.Errorf("%s is not public", ip)
	}
	return nil
}

// reserved are the networks that are not for everybody, of IPv4 and of the only part of IPv6 that is public at all (the
// registries of special-purpose addresses of the IANA, and services that clouds have on public addresses).
const reserved = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
	192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
	168.63.129.16/32 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20`

// public tells whether an address is one of the Internet that anybody may reach. IPv6 addresses that hold one of IPv4 are not.
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
