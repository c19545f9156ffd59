// Package log logs emails instead of sending them, for servers without a mail server and for development.
package log

import (
	"context"
	"log/slog"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter(
	"mail",
	"log",
	"Logs emails instead of sending them.",
	Config{},
	func(_ Config, n needs) (ports.Mailer, error) {
		return mailer{n.Log}, nil
	},
)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Log *slog.Logger
}

type mailer struct{ log *slog.Logger }

// Delivers implements ports.Mailer.
func (mailer) Delivers() bool { return false }

// Send logs that the email was not sent. It logs the text only at debug level, since it may contain a link with which
// anyone can join.
func (m mailer) Send(ctx context.Context, message mail.Message) error {
	if err := message.Check(); err != nil {
		return err
	}
	m.log.WarnContext(
		ctx,
		"email NOT sent: adapters.mail.use is log; set it to smtp to send email",
		"to",
		message.To,
		"subject",
		message.Subject,
	)
	m.log.DebugContext(ctx, "text of the unsent email", "id", message.ID, "text", message.Text)
	return nil
}
