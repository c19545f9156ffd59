package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/user"
)

// IncomingMail receives emails. adapter → mailin. It isolates the mail protocol.
type IncomingMail interface {
	// Domain returns the domain of the addresses at which email is received.
	Domain() string
	// Serve receives emails until ctx ends. Errors: listening failed.
	Serve(ctx context.Context, h MailHandler) error
}

// MailHandler accepts or rejects incoming email. After an error other than a refusal or Unavailable, the email is
// handed over again later. It isolates the mail protocol from what becomes of an email.
type MailHandler interface {
	// Known reports whether an address accepts email. Errors: NotFound.
	Known(ctx context.Context, to string) error
	// Take processes an email to a known address. Errors: NotFound and refusals, which are reported to the sender.
	Take(ctx context.Context, to string, m mailin.Mail) error
}

// Files stores files that reach the server other than by upload, such as attachments of emails. uploads → mailin. It is
// a port because it stores files.
type Files interface {
	// StoreFile stores a file owned by a user and returns its URL and display name. Not inside Do. Errors:
	// BadRequest, UploadQuota, Unavailable.
	StoreFile(ctx context.Context, by user.Actor, name, contentType string, body io.Reader) (url, shown string, err error)
}
