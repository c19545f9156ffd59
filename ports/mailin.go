package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// IncomingMail receives emails. adapter → mailin.
type IncomingMail interface {
	// Domain is that of the addresses at which it receives.
	Domain() string
	// Serve receives emails until ctx ends. Errors: it can't listen.
	Serve(ctx context.Context, h MailHandler) error
}

// MailHandler decides on emails. Errors other than those of refusals, and Unavailable, have the mail handed over again
// later.
type MailHandler interface {
	// Known accepts an address. Errors: NotFound.
	Known(ctx context.Context, to string) error
	// Take takes an email to a known address. Errors: NotFound and refusals, which whoever sent the mail is told.
	Take(ctx context.Context, to string, m mailin.Mail) error
}

// ChannelAddresses knows the addresses of channels. channels → mailin.
type ChannelAddresses interface {
	// Addressed returns what the address with a token stands for; nil if no channel has it.
	Addressed(ctx context.Context, token string) (*channel.Addressed, error)
}

// Files stores files that come by other ways than uploading. uploads → mailin.
type Files interface {
	// StoreFile stores a file of a person, and returns its address and the name to show. Not inside Do. Errors:
	// BadRequest, UploadQuota, Unavailable.
	StoreFile(ctx context.Context, by user.Actor, name, contentType string, body io.Reader) (url, shown string, err error)
}

// Replies gives addresses to which people reply by email. mailin → mailnotify.
type Replies interface {
	// Address returns the address by which a person answers in the conversation of a message; the same each time.
	// Outside of Do.
	Address(ctx context.Context, r realm.ID, u user.ID, m message.ID) (string, error)
}
