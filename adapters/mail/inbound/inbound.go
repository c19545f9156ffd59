// Package inbound receives email by SMTP or LMTP from an organization's mail server, which forwards the email for one
// domain. It supports neither encryption nor authentication, so only that server should be able to reach it.
package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("incoming", "smtp", "Receives email by SMTP or LMTP.", Defaults(),
	func(c Config, n needs) (ports.IncomingMail, error) { return New(c, n.Site.URL(), n.Logger), nil })

type needs struct {
	fx.In
	Site   ports.Site
	Logger *slog.Logger
}

// Config holds the listening address and the limits.
type Config struct {
	Addr string `yaml:"addr"` // where to listen; only your mail server should be able to reach it
	// the domain whose email your mail server forwards; empty: the host of http.url
	Domain   string `yaml:"domain"`
	LMTP     bool   `yaml:"lmtp"`      // use LMTP instead of SMTP
	MaxBytes int64  `yaml:"max_bytes"` // maximum size of an email, including attachments
	MaxConns int    `yaml:"max_conns"` // concurrent connections; further ones are refused, and mail servers retry
	// concurrent connections from one address, or from one /64 of IPv6; 0: half of max_conns
	MaxConnsPerAddress int           `yaml:"max_conns_per_address"`
	Timeout            time.Duration `yaml:"timeout"` // for a command, and for a whole email
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{Addr: "127.0.0.1:2525", MaxBytes: 10 << 20, MaxConns: 10, Timeout: 2 * time.Minute}
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch _, _, err := net.SplitHostPort(c.Addr); {
	case err != nil:
		return errors.New("addr: want an address such as 127.0.0.1:2525")
	case len(c.Domain) > 190 || strings.ContainsAny(c.Domain, "@ \t<>"):
		return errors.New("domain: want a domain such as chat.example.com")
	case c.MaxBytes < 64<<10 || c.MaxBytes > 100<<20:
		return fmt.Errorf("max_bytes: want a number from 65536 to 104857600, got %d", c.MaxBytes)
	case c.MaxConns < 1 || c.MaxConns > 10000:
		return fmt.Errorf("max_conns: want a number from 1 to 10000, got %d", c.MaxConns)
	case c.MaxConnsPerAddress < 0 || c.MaxConnsPerAddress > c.MaxConns:
		return fmt.Errorf("max_conns_per_address: want a number from 0 to max_conns, got %d", c.MaxConnsPerAddress)
	case c.Timeout < time.Second || c.Timeout > 10*time.Minute:
		return fmt.Errorf("timeout: want a time from 1s to 10m, got %v", c.Timeout)
	}
	return nil
}

// perAddress returns the maximum number of concurrent connections from one address.
func (c Config) perAddress() int { return cmp.Or(c.MaxConnsPerAddress, max(1, c.MaxConns/2)) }

// Listener implements ports.IncomingMail.
type Listener struct {
	config Config
	log    *slog.Logger
}

// New returns a listener. site is the server's URL, or empty.
func New(c Config, site string, log *slog.Logger) *Listener {
	if u, err := url.Parse(site); err == nil && c.Domain == "" {
		c.Domain = u.Hostname()
	}
	c.Domain = cmp.Or(c.Domain, "localhost")
	return &Listener{c, log}
}

// Domain implements ports.IncomingMail.
func (l *Listener) Domain() string { return l.config.Domain }

// Serve implements ports.IncomingMail.
func (l *Listener) Serve(ctx context.Context, h ports.MailHandler) error {
	at, err := new(net.ListenConfig).Listen(ctx, "tcp", l.config.Addr)
	if err != nil {
		return fmt.Errorf("adapters.incoming.addr: %w", err)
	}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{ctx: ctx, timeout: l.config.Timeout, handler: h, log: l.log}, nil
	}))
	s.Domain, s.LMTP, s.MaxMessageBytes = l.config.Domain, l.config.LMTP, l.config.MaxBytes
	s.ReadTimeout, s.WriteTimeout = l.config.Timeout, l.config.Timeout
	s.MaxRecipients = 1 // makes mail servers send a separate copy per recipient
	s.ErrorLog = logger{l.log}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	err = s.Serve(limit(at, l.config))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// logger writes the library's messages to the server's log.
type logger struct{ log *slog.Logger }

// Printf implements smtp.Logger.
func (l logger) Printf(format string, v ...any) {
	l.log.Warn("incoming mail: " + strings.TrimSpace(fmt.Sprintf(format, v...)))
}

// Println implements smtp.Logger.
func (l logger) Println(v ...any) {
	l.log.Warn("incoming mail: " + strings.TrimSpace(fmt.Sprintln(v...)))
}

// session handles one connection.
type session struct {
	ctx       context.Context
	timeout   time.Duration // for processing a command
	handler   ports.MailHandler
	log       *slog.Logger
	automatic bool // an empty envelope sender: replies are impossible
	to        string
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.automatic, s.to = false, "" }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.automatic = from == ""
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.timeout)
	defer cancel()
	if err := s.handler.Known(ctx, to); err != nil {
		return s.refusal(err)
	}
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	m, err := read(r)
	if err != nil && !errors.Is(err, errMalformed) {
		if errors.As(err, new(*smtp.SMTPError)) { // too large
			return err
		}
		return s.refusal(err) // the connection broke or was too slow
	}
	if err != nil {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "The email is malformed."}
	}
	m.Automatic = m.Automatic || s.automatic
	ctx, cancel := context.WithTimeout(s.ctx, s.timeout)
	defer cancel()
	if err := s.handler.Take(ctx, s.to, m); err != nil {
		return s.refusal(err)
	}
	return nil
}

// refusal converts an error to an SMTP reply. Senders are notified of permanent errors.
func (s *session) refusal(err error) error {
	var e *errs.Error
	switch {
	case errs.Is(err, errs.NotFound):
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "There is no such address."}
	case errors.As(err, &e) && e.Code != errs.Unavailable:
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: oneLine(e.Msg)}
	}
	s.log.WarnContext(s.ctx, "incoming email failed temporarily; the mail server will retry", "error", err)
	return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Please try again later."}
}

// oneLine converts a text to a single line of ASCII for an SMTP reply.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), 400)]
}
