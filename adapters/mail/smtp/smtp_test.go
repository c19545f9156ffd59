package smtp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	smtpmail "github.com/stoachat/stoa/adapters/mail/smtp"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
)

// config returns a configuration that is valid except for the port.
func config(port int, how string) smtpmail.Config {
	c := smtpmail.Defaults()
	c.Host, c.Port, c.TLS, c.From = "127.0.0.1", port, how, `"Stöa, Inc." <noreply@chat.example.com>`
	return c
}

func open(t *testing.T, c smtpmail.Config) *smtpmail.Mailer {
	t.Helper()
	m, err := smtpmail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var hello = mail.Message{ID: "a1", To: "eve@example.com", Subject: "Hello", Text: "Text\n"}

func TestContract(t *testing.T) {
	ca, cert := authority(t)
	for how, full := range map[string]bool{"none": false, "starttls": false, "tls": true} {
		t.Run(how, func(t *testing.T) {
			var s *server
			if how == "none" {
				s = serve(t, nil, false)
			} else {
				s = serve(t, &cert, full)
			}
			c := config(s.port, how)
			c.CAFile = ca
			mailtest.Contract(t, open(t, c), s.received, s.allow)
			s.mu.Lock()
			defer s.mu.Unlock()
			for i, raw := range s.raw {
				if s.secure[i] != (how != "none") {
					t.Errorf("encrypted: %v", s.secure[i])
				}
				head, _, _ := strings.Cut(raw, "\r\n\r\n")
				for _, want := range []string{"Auto-Submitted: auto-generated", "Date: ", "MIME-Version: 1.0",
					"<noreply@chat.example.com>"} {
					if !strings.Contains(head, want) {
						t.Errorf("no %q in\n%s", want, head)
					}
				}
			}
		})
	}
}

func TestLogin(t *testing.T) {
	ca, cert := authority(t)
	s := serve(t, &cert, false)
	c := config(s.port, "starttls")
	c.CAFile, c.User, c.Password = ca, "stoa", "pass word"
	if err := open(t, c).Send(t.Context(), hello); err != nil || len(s.received(t)) != 1 || len(s.users) != 1 {
		t.Errorf("%v, %v", err, s.users)
	}
	c.Password = "wrong secret"
	err := open(t, c).Send(t.Context(), hello)
	if err == nil || errs.Is(err, errs.BadRequest) || strings.Contains(err.Error(), "wrong secret") ||
		len(s.received(t)) != 0 {
		t.Errorf("a wrong password: %v", err)
	}
}

// No email is sent to a mail server that is not trusted or does not support encryption.
func TestEncryptionIsRequired(t *testing.T) {
	ca, cert := authority(t)
	_, other := authority(t)
	for name, c := range map[string]struct {
		how  string
		cert *tls.Certificate
		full bool
		ca   string
	}{
		"no encryption offered":       {"starttls", nil, false, ca},
		"no encryption at all":        {"tls", nil, false, ca},
		"wrong certificate":           {"starttls", &other, false, ca},
		"wrong certificate, tls":      {"tls", &other, true, ca},
		"unknown to this machine":     {"starttls", &cert, false, ""},
		"encrypted, but not expected": {"starttls", &cert, true, ca},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.cert, c.full, func(s *smtp.Server) { s.ReadTimeout = time.Second; s.WriteTimeout = time.Second })
			cfg := config(s.port, c.how)
			cfg.CAFile, cfg.User, cfg.Password, cfg.Timeout = c.ca, "stoa", "pass word", 2*time.Second
			if err := open(t, cfg).Send(t.Context(), hello); err == nil || errs.Is(err, errs.BadRequest) {
				t.Errorf("sent: %v", err)
			}
			if len(s.received(t)) != 0 || len(s.users) != 0 {
				t.Error("the server received something")
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		sender, data error
		forever      bool
	}{
		"the sender":          {sender: &smtp.SMTPError{Code: 550, Message: "not you"}},
		"the sender, for now": {sender: &smtp.SMTPError{Code: 451, Message: "not now"}},
		"the text":            {data: &smtp.SMTPError{Code: 554, Message: "spam"}, forever: true},
		"the text, for now":   {data: &smtp.SMTPError{Code: 452, Message: "full"}},
	} {
		s := serve(t, nil, false)
		s.sender, s.data = c.sender, c.data
		err := open(t, config(s.port, "none")).Send(t.Context(), hello)
		if err == nil || errs.Is(err, errs.BadRequest) != c.forever || len(s.received(t)) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoServer(t *testing.T) {
	if err := open(t, config(1, "none")).Send(t.Context(), hello); err == nil || errs.Is(err, errs.BadRequest) {
		t.Error(err)
	}
}

// Stopping the server does not wait for an unresponsive mail server.
func TestStopDoesNotWait(t *testing.T) {
	s := serve(t, nil, false)
	s.hang = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	m := open(t, config(s.port, "none"))
	go func() { sent <- m.Send(ctx, hello) }()
	<-s.accepted
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(s.hang)
}

func TestConfig(t *testing.T) {
	kittest.StartWith(t, kittest.Options{Config: "adapters: {mail: {use: smtp, host: mail.example.com, from: " +
		"noreply@example.com}}"}, smtpmail.Module)
	empty, file := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*smtpmail.Config){
		"host: ":    func(c *smtpmail.Config) { c.Host = "" },
		"host":      func(c *smtpmail.Config) { c.Host = "https://mail" },
		"port: ":    func(c *smtpmail.Config) { c.Port = 70000 },
		"tls: ":     func(c *smtpmail.Config) { c.TLS = "maybe" },
		"user: ":    func(c *smtpmail.Config) { c.TLS, c.User, c.Host = "none", "stoa", "mail.example.com" },
		"from: ":    func(c *smtpmail.Config) { c.From = "" },
		"from":      func(c *smtpmail.Config) { c.From = "a@x.org, b@x.org" },
		"timeout: ": func(c *smtpmail.Config) { c.Timeout = 0 },
		"ca_file":   func(c *smtpmail.Config) { c.CAFile = file },
		"ca_file: ": func(c *smtpmail.Config) { c.CAFile = empty },
	} {
		c := config(25, "none")
		change(&c)
		if _, err := smtpmail.New(c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	local := config(0, "none")
	local.Host, local.User = "::1", "stoa"
	if _, err := smtpmail.New(local); err != nil {
		t.Error(err)
	}
}
