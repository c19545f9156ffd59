package emoji

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/user"
)

// Uploaded is a query that stores the image of a custom emoji that is to be added. It runs outside of transactions. The
// result is an Add. Errors: BadImage, Unavailable; those of File.
type Uploaded struct {
	By   user.Actor
	File io.Reader
}

// Add adds an emoji with a stored image and logs the events, within a unit of work. It sets the ID, and adds a number
// to a name that is taken. The caller has checked permissions.
type Add func(ctx context.Context, e *Custom) error
