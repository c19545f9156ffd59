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

// Config is the http section of the configuration.
type Config struct {
	Addr string `yaml:"addr"` // host:port to listen on; port 0 chooses a free one
	// the server's public URL; "" derives it from each request. With https, cookies are for HTTPS only, and browsers are
	// told to use nothing else (Strict-Transport-Security)
	URL string `yaml:"url"`
	// addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are trusted
	TrustedProxies []string      `yaml:"trusted_proxies"`
	ReadBuffer     int           `yaml:"read_buffer"`   // limit of a request's headers, in bytes
	ReadTimeout    time.Duration `yaml:"read_timeout"`  // for receiving a request
	WriteTimeout   time.Duration `yaml:"write_timeout"` // for sending a response
	IdleTimeout    time.Duration `yaml:"idle_timeout"`  // between two requests of a connection
	// time limit for processing a request, not counting the time of held polls; for uploads, without progress. A request
	// that runs on is logged with its route and user.
	HandlerTimeout time.Duration `yaml:"handler_timeout"`
	// how long requests are still accepted after the stop signal, while /health reports unready
	StopDelay  time.Duration `yaml:"stop_delay"`
	RateLimits RateLimits    `yaml:"rate_limits" reload:"true"`
	Params     ParamLimits   `yaml:"params"`
}

// RateLimits limits request rates. Each limit is the size of a token bucket that refills over its window.
type RateLimits struct {
	Enabled bool `yaml:"enabled"`  // false: no limits
	PerUser int  `yaml:"per_user"` // requests per user
	// requests of all bots of one owner together, in addition to per_user for each bot
	PerOwner   int `yaml:"per_owner"`
	PerAddress int `yaml:"per_address"` // requests without valid credentials per address; IPv6 by /64
	// downloads of files and pictures, counted separately: per user, per owner of bots, or per address
	Files int `yaml:"files"`
	// requests for events, which are counted separately since others cause them: per user, or per owner of bots. A queue
	// that modules.events.hold_back slows down makes at most 6000 a minute
	Polls int `yaml:"polls"`
	// MiB of messages scanned by searches and changed by moving topics, in steps of 4 KiB, and of events requested again:
	// per user, per owner of bots, or per address; on all nodes together
	Bulk    int           `yaml:"bulk"`
	Servers int           `yaml:"servers"` // calls of other servers to the push relay, per address
	Window  time.Duration `yaml:"window"`  // time in which the limits above refill
	// wrong passwords per user name and address, on all nodes together; 20 times as many in total over all addresses
	// from which the user has never logged in, and 4 times as many per address over all users who never have from there
	FailedLogins     int           `yaml:"failed_logins"`
	FailedLoginsOver time.Duration `yaml:"failed_logins_window"` // time in which failed_logins refills
	// limits of classes that modules declare, such as birthdays.cards: {per_user: 10}, with per_user (a user, the bots of
	// an owner, or an address) and per_realm, on all nodes together; what is not given has the module's default
	Classes    map[string]ClassLimits `yaml:"classes"`
	Remembered int                    `yaml:"remembered"` // maximum number of buckets of each kind in memory
}

// ClassLimits are the limits of a class that a module declares. 0: its default.
type ClassLimits struct {
	PerUser  int `yaml:"per_user"`
	PerRealm int `yaml:"per_realm"`
}

// ParamLimits limits the parameters of a request.
type ParamLimits struct {
	Count    int `yaml:"count"`    // maximum number of parameters
	Depth    int `yaml:"depth"`    // maximum nesting of the JSON in a parameter
	Elements int `yaml:"elements"` // maximum number of JSON values in all parameters together
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{
		Addr:           "127.0.0.1:9991",
		ReadBuffer:     16 << 10,
		ReadTimeout:    30 * time.Second,
		WriteTimeout:   2 * time.Minute,
		IdleTimeout:    2 * time.Minute,
		HandlerTimeout: time.Minute,
		RateLimits: RateLimits{
			Enabled: true, PerUser: 200, PerOwner: 2000, PerAddress: 100, Files: 3000, Polls: 24_000, Bulk: 64,
			Servers:      6000,
			Window:       time.Minute,
			FailedLogins: 5, FailedLoginsOver: 30 * time.Minute, Remembered: 100_000,
		},
		Params: ParamLimits{Count: 500, Depth: 32, Elements: 50_000},
	}
}

// Validate reports all problems, one per line, each beginning with its key.
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
		"read_buffer": c.ReadBuffer, "params.count": c.Params.Count, "params.depth": c.Params.Depth,
		"params.elements": c.Params.Elements,
	} {
		if n <= 0 {
			bad("%s: must be greater than 0", key)
		}
	}
	for key, d := range map[string]time.Duration{
		"read_timeout": c.ReadTimeout, "write_timeout": c.WriteTimeout, "idle_timeout": c.IdleTimeout,
		"handler_timeout": c.HandlerTimeout,
	} {
		if d <= 0 {
			bad("%s: must be greater than 0, such as 30s", key)
		}
	}
	if c.StopDelay < 0 || c.StopDelay > time.Minute {
		bad("stop_delay: want a time up to 1m, or 0")
	}
	if l := c.RateLimits; l.Enabled && (l.PerUser <= 0 || l.PerOwner <= 0 || l.PerAddress <= 0 || l.Files <= 0 ||
		l.Polls <= 0 || l.Bulk <= 0 || l.Servers <= 0 || l.FailedLogins <= 0 || l.Remembered <= 0 ||
		l.Window <= 0 || l.FailedLoginsOver <= 0) {
		bad("rate_limits: every number must be greater than 0; enabled: false turns them off")
	}
	for name, l := range c.RateLimits.Classes {
		if l.PerUser < 0 || l.PerRealm < 0 {
			bad("rate_limits.classes.%s: numbers must not be negative", name)
		}
	}
	return errors.Join(all...)
}

// secure reports whether clients reach the server by HTTPS only.
func (c Config) secure() bool { return len(c.URL) >= 8 && strings.EqualFold(c.URL[:8], "https://") }

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

// loopback reports whether a listening address can be reached only from this machine.
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
