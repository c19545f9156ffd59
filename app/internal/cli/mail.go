package cli

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/mail"
)

type mails struct {
	kong.Plugins

	Test mailTest `cmd:"" help:"Send a test email with the settings of adapters.mail."`
}

type mailTest struct {
	Address string `arg:"" help:"Email address to send it to."`
}

// Run sends a test email. It needs no database.
func (c *mailTest) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	m := s.Ports.Mailer
	if m == nil || !m.Delivers() {
		return errors.New("this server sends no email: set adapters.mail.use to smtp, with host and from, and http.url")
	}
	err = m.Send(e.ctx, mail.Message{
		ID: rand.Text(), To: c.Address, Subject: "Test email from Stoa",
		Text: "Hello,\n\nthis is a test email from your Stoa server. It can send email.\n",
	})
	if err != nil {
		return fmt.Errorf("the test email was not sent: %w", err)
	}
	e.printf("The mail server has accepted a test email to %s.\n", c.Address)
	return nil
}
