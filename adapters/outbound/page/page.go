// Package page reads the metadata of web pages. Both sides are untrusted: authors of messages choose the URL, and
// sites the response. guard checks each connection when it is made, and size and time are limited.
package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/guard"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("pages", "web", "Reads linked web pages for previews.", Defaults(),
	func(c Config, _ needs) (ports.Pages, error) {
		return New(c)
	})

type needs struct{ fx.In }

// Config restricts and configures the requests.
type Config struct {
	Ports    []int    `yaml:"ports"`    // allowed ports; URLs with others have no preview
	Networks []string `yaml:"networks"` // allowed non-public networks, such as 10.1.0.0/16
	// http://host:port of a proxy for all requests, which must refuse private addresses itself
	Proxy     string        `yaml:"proxy"`
	Timeout   time.Duration `yaml:"timeout"`    // for one page, including redirects
	MaxBytes  int64         `yaml:"max_bytes"`  // maximum number of bytes read of a page
	UserAgent string        `yaml:"user_agent"` // sent to sites
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{
		Ports: []int{80, 443}, Timeout: 5 * time.Second, MaxBytes: 1 << 20,
		UserAgent: "Mozilla/5.0 (compatible; StoaPreview/1.0; +https://github.com/stoachat/stoa)",
	}
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case len(c.Ports) == 0 || slices.ContainsFunc(c.Ports, func(p int) bool { return p < 1 || p > 65535 }):
		return errors.New("ports: want numbers from 1 to 65535")
	case c.Timeout <= 0:
		return fmt.Errorf("timeout: want a time above 0, got %v", c.Timeout)
	case c.MaxBytes <= 0:
		return fmt.Errorf("max_bytes: want a number above 0, got %d", c.MaxBytes)
	case c.Proxy != "" && guard.ProxyAddress(c.Proxy) == "":
		return errors.New("proxy: want http://host:port")
	}
	_, err := guard.Networks(c.Networks)
	return err
}

const (
	maxRedirects = 3
	maxAddress   = 2000            // bytes of a URL
	maxHeader    = guard.MaxHeader // bytes of a provider's response
)

type reader struct {
	config    Config
	guard     guard.Guard
	client    *http.Client
	providers []provider
}

// New returns the adapter. Errors: those of Config.Validate.
func New(c Config) (ports.Pages, error) { return open(c) }

func open(c Config) (*reader, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	networks, err := guard.Networks(c.Networks)
	if err != nil {
		return nil, err
	}
	r := &reader{config: c, guard: guard.Guard{Ports: c.Ports, Allowed: networks}, providers: providers()}
	transport, err := r.guard.Transport(c.Proxy, c.Timeout)
	if err != nil {
		return nil, err
	}
	r.client = &http.Client{Transport: ports.TracedTransport("page", transport), CheckRedirect: r.redirected}
	return r, nil
}

func (r *reader) redirected(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	req.Header.Del("Referer") // sites must not learn about each other
	return r.guard.Address(req.URL)
}

// Page implements ports.Pages.
func (r *reader) Page(ctx context.Context, address string) (markdown.Embed, error) {
	within, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	e, err := r.page(within, address)
	switch {
	case err == nil:
		return e, nil
	case ctx.Err() != nil: // canceled by the caller
		return markdown.Embed{}, ctx.Err()
	}
	return markdown.Embed{}, errs.New(errs.NotFound, "No page to show").Because(err)
}

func (r *reader) page(ctx context.Context, address string) (markdown.Embed, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress {
		return markdown.Embed{}, errors.New("invalid URL")
	}
	for _, p := range r.providers {
		if p.has(u) {
			return r.oembed(ctx, p, address)
		}
	}
	var e markdown.Embed
	err = r.get(ctx, u, "text/html", func(res *http.Response) error {
		e, err = read(io.LimitReader(res.Body, r.config.MaxBytes), res.Header.Get("Content-Type"), res.Request.URL)
		return err
	})
	return e, err
}

// get requests a resource of the given type and passes the response to use.
func (r *reader) get(ctx context.Context, u *url.URL, kind string, use func(*http.Response) error) error {
	if err := r.guard.Address(u); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", r.config.UserAgent)
	req.Header.Set("Accept", kind)
	res, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	got, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d", res.StatusCode)
	case err != nil || !strings.EqualFold(got, kind):
		return fmt.Errorf("content of type %q", res.Header.Get("Content-Type"))
	}
	return use(res)
}
