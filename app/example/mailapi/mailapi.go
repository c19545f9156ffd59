// Package mailapi sends email through a service with an HTTP API. It is an example of an adapter: another
// implementation of a port, which the configuration selects instead of one that Stoa ships.
package mailapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter: adapters: {mail: {use: api, url: ...}}.
var Module = kit.Adapter("mail", "api", "Sends email through the HTTP API of a service.", Defaults(),
	func(c Config, _ needs) (ports.Mailer, error) { return New(c), nil })

// needs lists the ports that the adapter uses, such as ports.Clock.
type needs struct{ fx.In }

// Config holds the address of the service and the credentials for it.
type Config struct {
	URL     string        `yaml:"url"`     // where emails are posted
	Token   kit.Secret    `yaml:"token"`   // put it into STOA_ADAPTERS_MAIL_TOKEN rather than into a file
	From    string        `yaml:"from"`    // sender of emails
	Timeout time.Duration `yaml:"timeout"` // for one call
}

// Defaults returns the default configuration, which lacks the service.
func Defaults() Config { return Config{Timeout: 10 * time.Second} }

// Validate checks the configuration.
func (c Config) Validate() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return errors.New("url: want the address of the service, such as https://mail.example.com/send")
	case c.From == "":
		return errors.New("from: want an address such as noreply@chat.example.com")
	case c.Timeout <= 0:
		return errors.New("timeout: want a time above 0")
	}
	return nil
}

// Mailer sends email.
type Mailer struct {
	config Config
	client *http.Client
}

// New returns a mailer. It does no I/O: the service may be down when the server starts.
func New(c Config) *Mailer {
	return &Mailer{c, &http.Client{
		Timeout: c.Timeout, Transport: ports.TracedTransport("mail api", http.DefaultTransport),
	}}
}

// Delivers implements ports.Mailer.
func (m *Mailer) Delivers() bool { return true }

// Send implements ports.Mailer.
func (m *Mailer) Send(ctx context.Context, message mail.Message) error {
	if err := message.Check(); err != nil { // refuses, for example, texts that would become further headers
		return err
	}
	body, err := json.Marshal(struct {
		From string `json:"from"`
		mail.Message
	}{m.config.From, message})
	if err != nil {
		return err
	}
	status, err := m.call(ctx, http.MethodPost, body)
	switch {
	case err != nil:
		return err // temporary: the module mail tries again
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return errs.Bad("The mail service refused the email") // for ever
	case status >= 300:
		return fmt.Errorf("the mail service at %s answers with status %d", m.config.URL, status)
	}
	return nil
}

// Health is the health check adapters.mail. Its error says what the operator does.
func (m *Mailer) Health(ctx context.Context) error {
	status, err := m.call(ctx, http.MethodHead, nil)
	switch {
	case err != nil:
		return fmt.Errorf("%w; correct adapters.mail.url", err)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Errorf("the mail service at %s refuses the token; correct adapters.mail.token", m.config.URL)
	}
	return nil
}

// call makes one call and returns the status. Its error names the service.
func (m *Mailer) call(ctx context.Context, method string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.config.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+string(m.config.Token))
	req.Header.Set("Content-Type", "application/json")
	res, err := m.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("the mail service can't be reached: %w", err)
	}
	return res.StatusCode, res.Body.Close()
}
