// Package nats lets the nodes of a cluster notify each other through NATS instead of PostgreSQL, whose notifications
// are transactions of their own on the primary. It uses NATS core: nothing is stored.
package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("bus", "nats", "Lets nodes notify each other through NATS instead of PostgreSQL.", Defaults(),
	func(c Config, _ needs) (ports.Bus, error) { return New(c), nil })

type needs struct{ fx.In }

const (
	timeout   = 3 * time.Second  // to connect to one server, and to send
	pingEvery = 15 * time.Second // a server that leaves two pings unanswered is gone
	maxPings  = 2
	maxKept   = 8 << 20 // bytes that were received and not handled; then the server's messages are lost
)

// Bus notifies through NATS. It connects when it is used.
type Bus struct {
	cfg Config

	mu     sync.Mutex // held while sending
	sender *nats.Conn // nil: not yet connected
	closed bool
}

// New returns a bus with a valid configuration.
func New(c Config) *Bus { return &Bus{cfg: c} }

// connect connects to one of the servers. A connection that breaks is not repaired: nodes that listen must know that
// they have missed something.
func (b *Bus) connect(name string) (*nats.Conn, error) {
	o := []nats.Option{
		nats.Name("stoa " + name), nats.NoReconnect(), nats.Timeout(timeout), nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(maxPings), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if b.cfg.User != "" {
		o = append(o, nats.UserInfo(b.cfg.User, string(b.cfg.Password)))
	}
	if b.cfg.CredentialsFile != "" {
		o = append(o, nats.UserCredentials(b.cfg.CredentialsFile))
	}
	if b.cfg.CAFile != "" {
		o = append(o, nats.RootCAs(b.cfg.CAFile))
	}
	if b.cfg.CertFile != "" {
		o = append(o, nats.ClientCert(b.cfg.CertFile, b.cfg.KeyFile))
	}
	conn, err := nats.Connect(strings.Join(b.cfg.URLs, ","), o...)
	if err != nil {
		return nil, b.explain(err)
	}
	return conn, nil
}

// explain adds what an operator can do about an error.
func (b *Bus) explain(err error) error {
	remedy := "start it, or correct adapters.bus.urls"
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		remedy = "correct adapters.bus.user and STOA_ADAPTERS_BUS_PASSWORD, or credentials_file"
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		remedy = "correct its certificate, or set adapters.bus.ca_file"
	}
	return fmt.Errorf("NATS at %s: %w; %s", strings.Join(b.cfg.URLs, ", "), err, remedy)
}

// Tell implements ports.Bus.
func (b *Bus) Tell(ctx context.Context, text string) error {
	return b.send(ctx, func(c *nats.Conn) error { return c.Publish(b.cfg.Subject, []byte(text)) })
}

// Health is the health check: whether a server answers.
func (b *Bus) Health(ctx context.Context) error {
	return b.send(ctx, func(*nats.Conn) error { return nil })
}

// send does something with the connection for sending, and waits until the server has seen it.
func (b *Bus) send(ctx context.Context, do func(*nats.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nats.ErrConnectionClosed
	}
	if b.sender == nil || b.sender.IsClosed() {
		var err error
		if b.sender, err = b.connect("sender"); err != nil {
			return err
		}
	}
	err := do(b.sender)
	if err == nil {
		err = b.sender.FlushWithContext(ctx)
	}
	if err != nil {
		b.sender.Close()
		return b.explain(err)
	}
	return nil
}

// Listen implements ports.Bus.
func (b *Bus) Listen(ctx context.Context, ready func(), received func(text string)) error {
	conn, err := b.connect("listener")
	if err != nil {
		return err
	}
	defer conn.Close()
	sub, err := conn.SubscribeSync(b.cfg.Subject)
	if err == nil {
		err = sub.SetPendingLimits(-1, maxKept)
	}
	if err == nil {
		known, cancel := context.WithTimeout(ctx, timeout)
		err = conn.FlushWithContext(known) // the server knows the subscription
		cancel()
	}
	if err == nil {
		err = conn.LastError() // that it may not be subscribed to is not in the response
	}
	if err != nil {
		return b.explain(err)
	}
	ready()
	for {
		m, err := sub.NextMsgWithContext(ctx) // reports when the connection has ended, or messages were lost
		if err != nil {
			return b.explain(err)
		}
		received(string(m.Data))
	}
}

// Close implements ports.Bus.
func (b *Bus) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.sender != nil {
		b.sender.Close()
	}
	return nil
}
