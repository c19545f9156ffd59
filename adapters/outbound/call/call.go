// Package call calls the services of outgoing webhooks, and other services. Both sides are untrusted: bot owners
// choose the URL, and services the reply. guard checks each connection when it is made, redirects are not followed,
// and size and time are limited.
package call

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/guard"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("webhooks", "http", "Calls the services of outgoing webhooks.", Defaults(),
	func(c Config, _ needs) (ports.Webhooks, error) {
		return New(c)
	})

type needs struct{ fx.In }

// Config restricts and configures the calls.
type Config struct {
	Ports     []int    `yaml:"ports"`      // allowed ports
	HighPorts bool     `yaml:"high_ports"` // also allow all ports from 1024
	Networks  []string `yaml:"networks"`   // allowed non-public networks, such as 10.1.0.0/16
	// http://host:port of a proxy for all calls, which must refuse private addresses itself
	Proxy     string        `yaml:"proxy"`
	Timeout   time.Duration `yaml:"timeout"`    // for one call, including the reply
	MaxBytes  int64         `yaml:"max_bytes"`  // maximum size of a reply
	UserAgent string        `yaml:"user_agent"` // sent to services
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{
		Ports: []int{80, 443}, HighPorts: true, Timeout: 10 * time.Second, MaxBytes: 256 << 10,
		UserAgent: "ZulipOutgoingWebhook/" + realm.Version,
	}
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case slices.ContainsFunc(c.Ports, func(p int) bool { return p < 1 || p > 65535 }):
		return errors.New("ports: want numbers from 1 to 65535")
	case c.Timeout <= 0 || c.Timeout > time.Minute:
		return fmt.Errorf("timeout: want a time above 0, up to a minute, got %v", c.Timeout)
	case c.MaxBytes <= 0:
		return fmt.Errorf("max_bytes: want a number above 0, got %d", c.MaxBytes)
	case c.Proxy != "" && guard.ProxyAddress(c.Proxy) == "":
		return errors.New("proxy: want http://host:port")
	}
	_, err := guard.Networks(c.Networks)
	return err
}

// maxExplanation limits how much of an unsuccessful reply is read, in bytes.
const maxExplanation = 8 << 10

type caller struct {
	config Config
	guard  guard.Guard
	client *http.Client
}

// New returns the adapter. Errors: those of Config.Validate.
func New(c Config) (ports.Webhooks, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	networks, err := guard.Networks(c.Networks)
	if err != nil {
		return nil, err
	}
	guard := guard.Guard{Ports: c.Ports, High: c.HighPorts, Allowed: networks}
	transport, err := guard.Transport(c.Proxy, c.Timeout)
	if err != nil {
		return nil, err
	}
	transport.DisableCompression = true // the limit applies to the size as sent
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &caller{c, guard, &http.Client{
		Transport: ports.TracedTransport("webhook", transport), CheckRedirect: stay,
	}}, nil
}

// Post implements ports.Webhooks.
func (c *caller) Post(ctx context.Context, call webhook.Call) (webhook.Reply, error) {
	header := http.Header{"Content-Type": {call.ContentType}, "Accept": {"application/json"}}
	return c.limited(ctx, http.MethodPost, call.URL, header, call.Body)
}

// Get implements ports.Webhooks.
func (c *caller) Get(ctx context.Context, address, accept string) (webhook.Reply, error) {
	return c.limited(ctx, http.MethodGet, address, http.Header{"Accept": {accept}}, nil)
}

func (c *caller) limited(
	ctx context.Context, method, address string, header http.Header, body []byte,
) (webhook.Reply, error) {
	within, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	reply, err := c.call(within, method, address, header, body)
	if err != nil && ctx.Err() != nil { // canceled by the caller
		return webhook.Reply{}, ctx.Err()
	}
	return reply, err
}

func (c *caller) call(
	ctx context.Context, method, address string, header http.Header, content []byte,
) (webhook.Reply, error) {
	u, err := url.Parse(address)
	if err != nil {
		return webhook.Reply{}, errs.Bad("Invalid URL").Because(err)
	}
	// Hosts that resolve to forbidden addresses get the same error as nonexistent ones, so that bot owners cannot probe
	// for internal names.
	if err := c.guard.Address(u); err != nil {
		return webhook.Reply{}, errs.Bad("The address of the service is not allowed").Because(err)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(content))
	if err != nil {
		return webhook.Reply{}, errs.Bad("Invalid URL").Because(err)
	}
	req.Header = header
	req.Header.Set("User-Agent", c.config.UserAgent)
	res, err := c.client.Do(req)
	if about := (*url.Error)(nil); errors.As(err, &about) {
		err = about.Err // without the URL, which may contain secrets
	}
	if err != nil {
		return webhook.Reply{}, temporary(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		// Only the status matters; the body is optional.
		body, _ := io.ReadAll(io.LimitReader(res.Body, min(c.config.MaxBytes, maxExplanation)))
		return webhook.Reply{Status: res.StatusCode, Body: body}, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.config.MaxBytes+1))
	if err != nil {
		return webhook.Reply{}, temporary(err)
	}
	if int64(len(body)) > c.config.MaxBytes {
		return webhook.Reply{}, errs.New(errs.TooLarge, "The answer is too large")
	}
	return webhook.Reply{Status: res.StatusCode, Body: body}, nil
}

// temporary marks timeouts and failed connections as temporary errors.
func temporary(err error) error {
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &network) && network.Timeout():
		return errors.Join(context.DeadlineExceeded, err)
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errs.New(errs.Unavailable, "The service cannot be reached").Because(err)
	}
	return err
}
