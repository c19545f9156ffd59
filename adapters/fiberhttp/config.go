package fiberhttp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Config is the section http of the configuration.
type Config struct {
	Addr           string        `yaml:"addr"`            // host:port to listen on; port 0 takes any free one
	URL            string        `yaml:"url"`             // how clients reach the server; "" takes it from each request
	TrustedProxies []string      `yaml:"trusted_proxies"` // addresses or networks whose X-Forwarded-For and -Proto are believed
	ReadBuffer     int           `yaml:"read_buffer"`     // bytes that all headers of a request may take
	ReadTimeout    time.Duration `yaml:"read_timeout"`    // for a whole request
	WriteTimeout   time.Duration `yaml:"write_timeout"`   // for a whole answer
	IdleTimeout    time.Duration `yaml:"idle_timeout"`    // between two requests of a connection
	HandlerTimeout time.Duration `yaml:"handler_timeout"` // for the work in between; held polls are not counted
	StopDelay      time.Duration `yaml:"stop_delay"`      // requests are still taken after the signal to stop, with /health unready
	RateLimits     RateLimits    `yaml:"rate_limits"`
	Params         ParamLimits   `yaml:"params"`
}

// RateLimits says how often someone may ask. Each is a bucket of that many requests which fills again over its window.
type RateLimits struct {
	Enabled          bool          `yaml:"enabled"`              // off: nobody is held back
	PerUser          int           `yaml:"per_user"`             // with valid credentials
	PerOwner         int           `yaml:"per_owner"`            // of all bots of one owner together, each of which has per_user
	PerAddress       int           `yaml:"per_address"`          // without valid credentials; IPv6 by /64
	Files            int           `yaml:"files"`                // readings of files and pictures, which those above do not count: of a user, of the bots of an owner, or of an address
	Bulk             int           `yaml:"bulk"`                 // MiB of messages that searches look through, and that moves of whole topics change, 4 KiB each: of a user, of the bots of an owner, or of an address
	Servers          int           `yaml:"servers"`              // calls of other servers to the push relay, by address
	Window           time.Duration `yaml:"window"`               // of those above
	FailedLogins     int           `yaml:"failed_logins"`        // wrong passwords per user name and address; 20 times as many over all addresses where nobody has logged in by that name
	FailedLoginsOver time.Duration `yaml:"failed_logins_window"` // of failed_logins
	Remembered       int           `yaml:"remembered"`           // the most buckets of each kind that are kept in memory
}

// ParamLimits bounds a request before it is parsed.
type ParamLimits struct {
	Count    int `yaml:"count"`    // parameters
	Depth    int `yaml:"depth"`    // of JSON within one parameter
	Elements int `yaml:"elements"` // JSON values in all parameters together
}

// Defaults is the configuration of a server that says nothing.
func Defaults() Config {
	return Config{
		Addr:           "127.0.0.1:9991",
		ReadBuffer:     16 << 10,
		ReadTimeout:    30 * time.Second,
		WriteTimeout:   2 * time.Minute,
		IdleTimeout:    2 * time.Minute,
		HandlerTimeout: time.Minute,
		RateLimits: RateLimits{
			Enabled: true, PerUser: 200, PerOwner: 2000, PerAddress: 100, Files: 3000, Bulk: 64, Servers: 6000, Window: time.Minute,
			FailedLogins: 5, FailedLoginsOver: 30 * time.Minute, Remembered: 100_000,
		},
		Params: ParamLimits{Count: 500, Depth: 32, Elements: 50_000},
	}
}

// Validate tells all that is wrong, one line each, beginning with the key.
func (c Config) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		bad("addr: %q is not host:port, such as 127.0.0.1:9991", c.Addr)
	}
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" {
			bad("url: %q is not a URL such as https://chat.example.com", c.URL)
		}
	}
	if _, err := c.proxies(); err != nil {
		bad("trusted_proxies: %w", err)
	}
	for key, n := range map[string]int{
		"read_buffer": c.ReadBuffer, "params.count": c.Params.Count, "params.depth": c.Params.Depth, "params.elements": c.Params.Elements,
	} {
		if n <= 0 {
			bad("%s: must be greater than 0", key)
		}
	}
	for key, d := range map[string]time.Duration{
		"read_timeout": c.ReadTimeout, "write_timeout": c.WriteTimeout, "idle_timeout": c.IdleTimeout, "handler_timeout": c.HandlerTimeout,
	} {
		if d <= 0 {
			bad("%s: must be greater than 0, such as 30s", key)
		}
	}
	if c.StopDelay < 0 || c.StopDelay > time.Minute {
		bad("stop_delay: want a time up to 1m, or 0")
	}
	if l := c.RateLimits; l.Enabled && (l.PerUser <= 0 || l.PerOwner <= 0 || l.PerAddress <= 0 || l.Files <= 0 || l.Bulk <= 0 || l.Servers <= 0 || l.FailedLogins <= 0 || l.Remembered <= 0 ||
		l.Window <= 0 || l.FailedLoginsOver <= 0) {
		bad("rate_limits: every number must be greater than 0; enabled: false turns them off")
	}
	return errors.Join(all...)
}

func (c Config) proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, s := range c.TrustedProxies {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			a, err := netip.ParseAddr(s)
			if err != nil {
				return nil, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", s)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// loopback tells whether only this machine can reach an address that is listened on.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
