package metrics

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/stoachat/stoa/modules/kit"
)

// Config is the metrics section of the configuration.
type Config struct {
	// host:port on which /metrics is served, such as 127.0.0.1:9992; empty: there are no metrics
	Addr string `yaml:"addr"`
	// what readers send as Authorization: Bearer; at least 16 characters. Required if addr can be reached from other
	// machines; empty: none
	Token kit.Secret `yaml:"token"`
}

// minToken is the minimum length of a token, in characters.
const minToken = 16

// Validate reports all problems, one per line, each beginning with its key.
func (c Config) Validate() error {
	var all []error
	if n := len(c.Token); n > 0 && n < minToken {
		all = append(all, fmt.Errorf("token: is too short; set STOA_METRICS_TOKEN to at least %d random characters",
			minToken))
	}
	if c.Addr == "" {
		return errors.Join(all...)
	}
	host, _, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		all = append(all, fmt.Errorf("addr: %q is not host:port, such as 127.0.0.1:9992", c.Addr))
	case c.Token == "" && !loopback(host):
		all = append(all, fmt.Errorf("token: is missing, and addr %s can be reached from other machines; set "+
			"STOA_METRICS_TOKEN to at least %d random characters, or addr to 127.0.0.1:9992", c.Addr, minToken))
	}
	return errors.Join(all...)
}

// loopback reports whether a host can be reached only from this machine.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
