// Package delivery delivers notifications to devices through APNs, FCM and Web Push. It is for servers that run a
// push relay, because it needs the credentials of the app's publisher.
//
// All calls share a pool of workers, of which each call may use only a part. Temporary refusals are retried with
// exponential backoff for as long as the configuration allows; after that, the outcome is push.Later.
//
// A retry has the same collapse ID for APNs, and the same topic for Web Push, so that it replaces the original. FCM
// gets no collapse key: it keeps at most four different ones for an offline device, and apps recognize repeated
// messages by their content.
package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/guard"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("delivery", "direct",
	"Delivers push notifications through APNs, FCM and Web Push, for a push relay.", Defaults(),
	func(c Config, n needs) (ports.PushDelivery, error) {
		d, err := New(c, n.Clock, n.Logger)
		if err != nil {
			return nil, fmt.Errorf("adapters.delivery.%w", err)
		}
		r := &reloadable{clock: n.Clock, log: n.Logger}
		r.now.Store(d)
		return r, nil
	})

type needs struct {
	fx.In
	Clock  ports.Clock
	Logger *slog.Logger
}

// Config holds the services and their credentials. A service without credentials is not used.
type Config struct {
	APNs APNs          `yaml:"apns" reload:"true"`
	FCM  FCM           `yaml:"fcm" reload:"true"`
	Web  Web           `yaml:"web" reload:"true"`
	TTL  time.Duration `yaml:"ttl" reload:"true"` // how long a service keeps a notification for an offline device
	// notifications sent concurrently; a single call gets a sixteenth of them
	Workers int           `yaml:"workers" reload:"true"`
	Timeout time.Duration `yaml:"timeout" reload:"true"` // for one request to a service
	// delay before the first retry; doubles with each further retry
	Retry    time.Duration `yaml:"retry" reload:"true"`
	RetryFor time.Duration `yaml:"retry_for" reload:"true"` // maximum total delay per call
	CAFile   string        `yaml:"ca_file" reload:"true"`   // PEM certificates trusted in addition to the system's
}

// APNs configures Apple's push service, with a token signing key.
type APNs struct {
	KeyFile string   `yaml:"key_file"` // the signing key, a .p8 file
	KeyID   string   `yaml:"key_id"`   // ID of the key
	TeamID  string   `yaml:"team_id"`  // ID of the account that publishes the apps
	Apps    []string `yaml:"apps"`     // bundle IDs of the supported apps, such as org.example.chat
	URL     string   `yaml:"url"`      // https://api.sandbox.push.apple.com for development builds
}

// FCM configures Firebase Cloud Messaging.
type FCM struct {
	CredentialsFile string `yaml:"credentials_file"` // the service account key, a JSON file
	URL             string `yaml:"url"`
}

// Web configures Web Push to browsers and UnifiedPush distributors.
type Web struct {
	// VAPID key as printed by stoa push keys vapid; put it into STOA_ADAPTERS_DELIVERY_WEB_PRIVATE_KEY
	PrivateKey kit.Secret `yaml:"private_key"`
	Contact    string     `yaml:"contact"`    // how services can contact you: an email address or an https URL
	Ports      []int      `yaml:"ports"`      // allowed ports
	HighPorts  bool       `yaml:"high_ports"` // also allow all ports from 1024
	Networks   []string   `yaml:"networks"`   // allowed non-public networks, such as 10.1.0.0/16
	// http://host:port of a proxy for all calls, which must refuse private addresses itself
	Proxy string `yaml:"proxy"`
}

// Defaults returns the default configuration: no services.
func Defaults() Config {
	return Config{
		APNs: APNs{URL: "https://api.push.apple.com"}, FCM: FCM{URL: "https://fcm.googleapis.com"},
		Web: Web{Ports: []int{443}, HighPorts: true}, TTL: 72 * time.Hour, Workers: 256, Timeout: 10 * time.Second,
		Retry: 500 * time.Millisecond, RetryFor: 8 * time.Second,
	}
}

// Validate checks everything that does not require reading files.
func (c Config) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if c.TTL < time.Minute || c.TTL > 28*24*time.Hour {
		bad("ttl: want a time from 1m to 672h, got %v", c.TTL)
	}
	if c.Workers < 1 || c.Workers > 1000 {
		bad("workers: want a number from 1 to 1000, got %d", c.Workers)
	}
	if c.Timeout <= 0 || c.Timeout > time.Minute {
		bad("timeout: want a time above 0, up to a minute, got %v", c.Timeout)
	}
	if c.Retry <= 0 || c.RetryFor < 0 {
		bad("retry: want a time above 0, and retry_for not below 0")
	}
	if c.APNs.KeyFile != "" && (c.APNs.KeyID == "" || c.APNs.TeamID == "" || len(c.APNs.Apps) == 0) {
		bad("apns.key_file: needs key_id, team_id and apps as well")
	}
	if slices.ContainsFunc(c.APNs.Apps, func(id string) bool { return push.CheckAppID(id) != nil }) {
		bad("apns.apps: want bundle IDs such as org.example.chat")
	}
	if !isOrigin(c.APNs.URL) {
		bad("apns.url: want an https address without a path")
	}
	if !isOrigin(c.FCM.URL) {
		bad("fcm.url: want an https address without a path")
	}
	return errors.Join(append(all, c.Web.validate())...)
}

// Delivery implements ports.PushDelivery.
type Delivery struct {
	cfg     Config
	clock   ports.Clock
	log     *slog.Logger
	apns    *apns // nil: not used
	fcm     *fcm  // nil: not used
	web     *web  // nil: not used
	workers chan struct{}
}

// New reads the credentials without contacting any service. Its errors begin with the configuration key.
func New(c Config, clock ports.Clock, log *slog.Logger) (*Delivery, error) {
	roots, err := webpush.Roots(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	d := &Delivery{cfg: c, clock: clock, log: log, workers: make(chan struct{}, c.Workers)}
	client := newClient(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, c.Timeout)
	if c.APNs.KeyFile != "" {
		if d.apns, err = newAPNs(c.APNs, client); err != nil {
			return nil, fmt.Errorf("apns.key_file: %w", err)
		}
	}
	if c.FCM.CredentialsFile != "" {
		if d.fcm, err = newFCM(c.FCM, client); err != nil {
			return nil, fmt.Errorf("fcm.credentials_file: %w", err)
		}
	}
	if c.Web.PrivateKey != "" {
		if d.web, err = newWeb(c.Web, roots, c.Timeout); err != nil {
			return nil, fmt.Errorf("web.%w", err)
		}
	}
	return d, nil
}

// newClient returns a client that detects dead HTTP/2 connections.
func newClient(t *tls.Config, timeout time.Duration) *http.Client {
	transport := ports.TracedTransport("push", &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: t, TLSHandshakeTimeout: timeout, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Hour, MaxResponseHeaderBytes: guard.MaxHeader,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: timeout},
	})
	return &http.Client{Timeout: timeout, CheckRedirect: refuseRedirects, Transport: transport}
}

func refuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Admit implements ports.PushDelivery.
func (d *Delivery) Admit(t relay.Target) error {
	switch {
	case t.Kind == push.APNs && d.apns != nil:
		if !slices.Contains(d.cfg.APNs.Apps, t.AppID) {
			return errs.Bad("This push service does not serve the app.")
		}
		return nil
	case t.Kind == push.FCM && d.fcm != nil:
		return nil
	case t.Kind == push.Web && d.web != nil:
		return d.web.admit(t)
	}
	return errs.Bad("This push service does not serve tokens of this kind.")
}

// Check implements ports.PushDelivery. New has already verified the APNs key by signing with it; FCM's credentials can
// only be verified by logging in.
func (d *Delivery) Check(ctx context.Context) error {
	if d.apns == nil && d.fcm == nil && d.web == nil {
		return errors.New("no service is configured; see adapters.delivery")
	}
	if d.fcm == nil {
		return nil
	}
	if err := d.fcm.check(ctx, d.clock.Now()); err != nil {
		return fmt.Errorf("adapters.delivery.fcm.credentials_file: %w", err)
	}
	return nil
}
