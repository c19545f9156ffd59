package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/server"
)

type health struct {
	Ready bool `help:"Report whether requests should be sent to the server, not only whether its process works."`
}

// Help returns the long text of --help.
func (health) Help() string {
	return `Asks the server at http.addr for /health/live or, with --ready, /health/ready, and exits with 0 or 1. It is
for the health checks of containers, and for scripts.`
}

// healthTimeout is how long the server may take to answer.
const healthTimeout = 5 * time.Second

// Run asks the server.
func (c health) Run(e *env) error {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(e.ctx, healthTimeout)
	defer cancel()
	addr := reachable(cfg.Settings.HTTP.Addr)
	path := "/health/live"
	if c.Ready {
		path = "/health/ready?verbose"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, http.NoBody)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", addr, errors.Unwrap(err))
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Status string            `json:"status"`
		Msg    string            `json:"msg"`
		Checks map[string]string `json:"checks"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s is not a Stoa server: %w", addr, err)
	}
	if res.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSuffix(answer.Msg, ".") + causes(answer.Checks))
	}
	e.printf("%s\n", answer.Status)
	return nil
}

// causes lists the failing checks.
func causes(checks map[string]string) string {
	var all []string
	for name, cause := range checks {
		if cause != "ok" {
			all = append(all, name+": "+cause)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return ""
	}
	return "; " + strings.Join(all, "; ")
}

// reachable returns the address at which this machine reaches a server that listens on addr.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
