package guard

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// MaxHeader limits how much of a response's headers is read, in bytes.
const MaxHeader = 64 << 10

// Networks parses networks such as 10.1.0.0/16. Errors begin with the configuration key.
func Networks(networks []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, n := range networks {
		p, err := netip.ParsePrefix(n)
		if err != nil {
			return nil, fmt.Errorf("networks: %q is not a network such as 10.1.0.0/16", n)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// ProxyAddress returns host:port of a proxy URL, or "" if it is invalid.
func ProxyAddress(proxy string) string {
	u, err := url.Parse(proxy)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Transport returns a transport that connects only to addresses that g allows, with a new connection per request. If
// proxy is not "", it connects only to the proxy, which must check addresses itself. Connecting takes at most timeout.
func (g Guard) Transport(proxy string, timeout time.Duration) (*http.Transport, error) {
	t := &http.Transport{
		DialContext:       (&net.Dialer{Timeout: timeout, Control: g.Control}).DialContext,
		DisableKeepAlives: true, MaxResponseHeaderBytes: MaxHeader, TLSHandshakeTimeout: timeout,
	}
	if proxy == "" {
		return t, nil
	}
	u, err := url.Parse(proxy)
	if err != nil {
		return nil, err
	}
	t.Proxy, t.DialContext = http.ProxyURL(u), dialThrough(ProxyAddress(proxy))
	return t, nil
}

// dialThrough returns a dial function that connects only to the proxy.
func dialThrough(proxy string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != proxy {
			return nil, refused("%s is not the proxy", address)
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
