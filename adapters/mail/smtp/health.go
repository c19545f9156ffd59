package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// checked is how long the result of a health check is kept, so that the mail server is asked seldom, however often
// somebody requests /health.
const checked = time.Minute

// result is the result of the latest health check.
type result struct {
	mu    sync.Mutex
	known bool
	err   error
}

// Health is the health check. It connects to the mail server and logs in, at most once a minute.
func (m *Mailer) Health(ctx context.Context) error {
	m.latest.mu.Lock()
	defer m.latest.mu.Unlock()
	if m.latest.known {
		return m.latest.err
	}
	err := m.now.Load().greet(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	m.latest.known, m.latest.err = true, err
	time.AfterFunc(checked, m.forget)
	return err
}

// forget makes the next health check ask the mail server.
func (m *Mailer) forget() {
	m.latest.mu.Lock()
	defer m.latest.mu.Unlock()
	m.latest.known = false
}

// greet connects to the mail server and logs in. Its error names the mail server, the cause and the remedy.
func (m *sender) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	client, err := m.client(ctx)
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err == nil {
		return client.Close()
	}
	return fmt.Errorf("the mail server at %s: %w; %s",
		net.JoinHostPort(m.cfg.Host, strconv.Itoa(m.cfg.port())), err, m.remedy(ctx, err))
}

func (m *sender) remedy(ctx context.Context, err error) string {
	var network *net.OpError
	switch {
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "correct its certificate, or set adapters.mail.ca_file"
	case errors.As(err, &network), ctx.Err() != nil:
		return "start it, or correct adapters.mail.host and port"
	case m.cfg.User != "" && !errors.Is(err, gomail.ErrNoActiveConnection):
		return "correct adapters.mail.user and STOA_ADAPTERS_MAIL_PASSWORD, or adapters.mail.tls"
	}
	return "correct adapters.mail.tls and port"
}
