// Package webpush delivers notifications by Web Push (RFC 8030) to browsers and UnifiedPush distributors, encrypted for
// the device (RFC 8291) and signed by the server (RFC 8292). It needs neither a relay nor the account of an app's
// publisher. The push relay also uses its Sender.
package webpush

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	webpushgo "github.com/ergochat/webpush-go/v2"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("webpush", "direct", "Sends push notifications to browsers and UnifiedPush distributors.",
	Defaults(), func(c Config, n needs) (ports.WebPush, error) {
		w, err := New(c, n.Site.URL(), n.Logger)
		if err != nil {
			return nil, fmt.Errorf("adapters.webpush.%w", err)
		}
		return w, nil
	})

type needs struct {
	fx.In
	Site   ports.Site
	Logger *slog.Logger
}

// Config restricts and configures the calls.
type Config struct {
	// how push services can contact you: an email address or an https URL; empty: http.url. Without either, Web Push
	// is disabled
	Contact   string   `yaml:"contact"`
	Ports     []int    `yaml:"ports"`      // allowed ports
	HighPorts bool     `yaml:"high_ports"` // also allow all ports from 1024
	Networks  []string `yaml:"networks"`   // allowed non-public networks, such as 10.1.0.0/16
	// http://host:port of a proxy for all calls, which must refuse private addresses itself
	Proxy   string        `yaml:"proxy"`
	Timeout time.Duration `yaml:"timeout"` // for one notification
	Workers int           `yaml:"workers"` // notifications sent concurrently
	CAFile  string        `yaml:"ca_file"` // PEM certificates trusted in addition to the system's
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{Ports: []int{443}, HighPorts: true, Timeout: 10 * time.Second, Workers: 64}
}

func (c Config) options() Options {
	return Options{
		Contact: c.Contact, Ports: c.Ports, HighPorts: c.HighPorts, Networks: c.Networks, Proxy: c.Proxy, Timeout: c.Timeout,
	}
}

// Validate checks everything that does not require reading files.
func (c Config) Validate() error {
	switch {
	case c.Contact != "" && !ValidContact(c.Contact):
		return errors.New("contact: want an email address or an https address")
	case c.Timeout <= 0 || c.Timeout > time.Minute:
		return fmt.Errorf("timeout: want a time above 0, up to a minute, got %v", c.Timeout)
	case c.Workers < 1 || c.Workers > 1000:
		return fmt.Errorf("workers: want a number from 1 to 1000, got %d", c.Workers)
	}
	return c.options().Validate()
}

// Delivery implements ports.WebPush.
type Delivery struct {
	sender  *Sender // nil: no contact
	log     *slog.Logger
	workers chan struct{}
}

// New returns the adapter. site is the server's URL, or empty.
func New(c Config, site string, log *slog.Logger) (*Delivery, error) {
	d := &Delivery{log: log, workers: make(chan struct{}, c.Workers)}
	if c.Contact == "" && strings.HasPrefix(site, "https://") {
		c.Contact = site
	}
	if c.Contact == "" {
		return d, nil
	}
	o := c.options()
	var err error
	if o.Roots, err = Roots(c.CAFile); err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	d.sender, err = NewSender(o)
	return d, err
}

// Roots returns the system's certificates together with those in a file, or nil if file is "".
func Roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file) //nolint:gosec // the operator's configuration names it
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("contains no certificate")
	}
	return roots, nil
}

// Configured implements ports.WebPush.
func (d *Delivery) Configured() bool { return d.sender != nil }

// Admit implements ports.WebPush.
func (d *Delivery) Admit(s push.Subscription) error { return d.sender.Admit(s) }

// Deliver implements ports.WebPush.
func (d *Delivery) Deliver(ctx context.Context, key *ecdsa.PrivateKey, all []push.WebNotification) []push.WebResult {
	results := make([]Result, len(all))
	keys, err := Keys(key)
	if err == nil {
		d.each(ctx, keys, all, results)
	} else {
		for i := range results {
			results[i].Why = err.Error()
		}
	}
	out := make([]push.WebResult, len(all))
	reasons := map[string]int{}
	for i, r := range results {
		out[i] = r.WebResult
		if r.Outcome == push.Later || r.Outcome == push.Refused {
			reasons[r.Why]++
		}
	}
	for why, n := range reasons {
		d.log.WarnContext(ctx, "web push notifications were not delivered", "reason", why, "count", n)
	}
	return out
}

func (d *Delivery) each(
	ctx context.Context, keys *webpushgo.VAPIDKeys, all []push.WebNotification, results []Result,
) {
	var running sync.WaitGroup
	defer running.Wait()
	for i := range all {
		select {
		case d.workers <- struct{}{}:
		case <-ctx.Done():
			results[i].Why = "the server is stopping, or the deadline has passed"
			continue
		}
		running.Go(func() {
			defer func() { <-d.workers }()
			results[i] = d.try(ctx, keys, all[i])
		})
	}
}

func (d *Delivery) try(ctx context.Context, keys *webpushgo.VAPIDKeys, n push.WebNotification) (r Result) {
	defer func() {
		if p := recover(); p != nil { // subscriptions are untrusted input to the library
			r = refused(fmt.Sprintf("panic: %v", p))
		}
	}()
	return d.sender.Send(ctx, keys, n)
}
