// Package smtp sends email through a mail server by SMTP.
package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"os"
	"strings"
	"sync/atomic"
	"time"

	gomail "github.com/wneessen/go-mail"
	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("mail", "smtp", "Sends email through a mail server.", Defaults(),
	func(c Config, _ needs) (ports.Mailer, error) {
		return New(c)
	})

type needs struct{ fx.In }

// Config holds the address of the mail server and the connection settings.
type Config struct {
	Host string `yaml:"host" reload:"true"` // name of the mail server
	Port int    `yaml:"port" reload:"true"` // 0: 587 with starttls, 465 with tls, 25 with none
	// starttls: required before authentication; tls: from the start; none: unencrypted, for a mail server on the same
	// machine
	TLS  string `yaml:"tls" reload:"true"`
	User string `yaml:"user" reload:"true"` // login name; empty: no authentication
	// password of user; put it into STOA_ADAPTERS_MAIL_PASSWORD rather than into a file
	Password kit.Secret `yaml:"password" reload:"true"`
	From     string     `yaml:"from" reload:"true"` // sender of emails, such as Stoa <noreply@chat.example.com>
	// selector of the DKIM key with which the mail server signs emails, for stoa doctor; empty: it does not look for it
	DKIMSelector string `yaml:"dkim_selector" reload:"true"`
	// PEM file with the mail server's certificate authorities; empty: the system's
	CAFile  string        `yaml:"ca_file" reload:"true"`
	Timeout time.Duration `yaml:"timeout" reload:"true"` // for sending one email
}

// The values of tls.
const (
	startTLS = "starttls"
	fullTLS  = "tls"
	noTLS    = "none"
)

// Defaults returns the default configuration, which lacks the host.
func Defaults() Config { return Config{TLS: startTLS, Timeout: 30 * time.Second} }

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	if c.Host == "" || strings.ContainsAny(c.Host, " /@:") && net.ParseIP(c.Host) == nil {
		all = append(all, errors.New("host: want the name of the mail server, such as mail.example.com"))
	}
	if c.Port < 0 || c.Port > 65535 {
		all = append(all, errors.New("port: want a number from 1 to 65535, or 0"))
	}
	if c.TLS != startTLS && c.TLS != fullTLS && c.TLS != noTLS {
		all = append(all, fmt.Errorf("tls: want %s, %s or %s", startTLS, fullTLS, noTLS))
	}
	if c.TLS == noTLS && c.User != "" && !loopback(c.Host) {
		all = append(all, errors.New("user: a password must not be sent unencrypted; set tls"))
	}
	if from, err := netmail.ParseAddress(c.From); err != nil || from.Name != mail.Line(from.Name) {
		all = append(all, errors.New("from: want an address such as Stoa <noreply@chat.example.com>"))
	}
	if c.Timeout <= 0 {
		all = append(all, errors.New("timeout: want a time above 0"))
	}
	return errors.Join(all...)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (c Config) port() int {
	switch {
	case c.Port != 0:
		return c.Port
	case c.TLS == fullTLS:
		return gomail.DefaultPortSSL
	case c.TLS == noTLS:
		return gomail.DefaultPort
	}
	return gomail.DefaultPortTLS
}

// Mailer sends email through one mail server. It opens a connection per email, since there are few.
type Mailer struct {
	now    atomic.Pointer[sender]
	latest result // of the health check
}

// sender is a Mailer with one configuration.
type sender struct {
	cfg  Config
	from *netmail.Address
	tls  *tls.Config
}

// New returns a mailer without contacting the mail server. Errors: those of Config.Validate; an unusable ca_file.
func New(c Config) (*Mailer, error) {
	m := &Mailer{}
	return m, m.Reload(c)
}

// Reload implements kit.Reloader. Emails that are being sent keep the former configuration.
func (m *Mailer) Reload(c Config) error {
	s, err := newSender(c)
	if err == nil {
		m.now.Store(s)
		m.forget()
	}
	return err
}

func newSender(c Config) (*sender, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &sender{cfg: c, tls: &tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12}}
	var err error
	if m.from, err = netmail.ParseAddress(c.From); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		m.tls.RootCAs = x509.NewCertPool()
		if !m.tls.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("ca_file: contains no certificate")
		}
	}
	return m, nil
}

// Delivers implements ports.Mailer.
func (m *Mailer) Delivers() bool { return true }

// Sender implements ports.MailSender.
func (m *Mailer) Sender() (address, selector string) {
	s := m.now.Load()
	return s.from.Address, s.cfg.DKIMSelector
}

// Send implements ports.Mailer.
func (m *Mailer) Send(ctx context.Context, message mail.Message) error {
	ctx, span := ports.BeginCall(ctx, "mail")
	err := m.now.Load().send(ctx, message)
	span.End(err)
	return err
}

func (m *sender) send(ctx context.Context, message mail.Message) error {
	if err := message.Check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	msg, err := m.compose(message)
	if err != nil {
		return errs.Bad("The email can't be composed").Because(err)
	}
	client, err := m.client(ctx)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, msg)
	switch {
	case err == nil, msg.IsDelivered(): // errors after delivery do not matter
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case refused(err):
		return errs.Bad("The mail server refused the email").Because(err)
	}
	return err
}

// refused reports whether the mail server will never accept this email. Problems with the server or the sender address
// are not the email's fault, and may be fixed.
func refused(err error) bool {
	var e *gomail.SendError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Reason {
	case gomail.ErrGetRcpts:
		return true
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return e.ErrorCode() >= 500 && e.ErrorCode() < 600
	}
	return false
}

func (m *sender) compose(in mail.Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg()
	if err := msg.From(m.from.String()); err != nil {
		return nil, err
	}
	if err := msg.To(in.To); err != nil {
		return nil, err
	}
	if in.ReplyTo != "" {
		if err := msg.ReplyTo(in.ReplyTo); err != nil {
			return nil, err
		}
	}
	msg.Subject(in.Subject)
	_, domain, _ := strings.Cut(m.from.Address, "@")
	msg.SetMessageIDWithValue(in.ID + "@" + domain)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // prevents vacation replies
	msg.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	msg.SetBodyString(gomail.TypeTextPlain, in.Text)
	if in.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, in.HTML)
	}
	if in.Unsubscribe != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+in.Unsubscribe+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	return msg, nil
}

func (m *sender) client(ctx context.Context) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(m.cfg.port()), gomail.WithTimeout(m.cfg.Timeout), gomail.WithTLSConfig(m.tls), gomail.WithoutNoop(),
		gomail.WithDialContextFunc(m.dialer(ctx)),
	}
	switch m.cfg.TLS {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case fullTLS:
		options = append(options, gomail.WithSSL())
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if m.cfg.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(m.cfg.User),
			gomail.WithPassword(string(m.cfg.Password)))
	}
	return gomail.NewClient(m.cfg.Host, options...)
}

// dialer returns a dialer whose connections are closed when ctx ends. The library watches ctx only while connecting.
func (m *sender) dialer(ctx context.Context) gomail.DialContextFunc {
	return func(dialing context.Context, network, address string) (net.Conn, error) {
		var d interface {
			DialContext(ctx context.Context, network, address string) (net.Conn, error)
		} = &net.Dialer{}
		if m.cfg.TLS == fullTLS {
			d = &tls.Dialer{Config: m.tls}
		}
		conn, err := d.DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		return conn, nil
	}
}
