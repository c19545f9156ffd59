package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Images makes pictures out of what people upload, which is taken for hostile: nothing of it is kept but what one sees.
// adapter → emoji, avatars, uploads.
type Images interface {
	// Make reads an upload and makes a picture of each shape. Not inside Do. Errors: BadImage for what is no picture, or
	// one that would take too much to decode; those of r as they are.
	Make(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error)
	// Probe reads the header of an image without decoding it. Errors: BadImage for what is not an image of which previews
	// are made, or one that is too large; those of r.
	Probe(ctx context.Context, r io.Reader) (picture.Header, error)
	// Preview makes a WebP of each shape, no larger than the original. It may take seconds, and makes one image after the
	// other. Not inside Do. Errors: as Probe, and BadImage for what cannot be decoded.
	Preview(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error)
}

// Pictures keeps pictures that anybody may fetch who knows the address, which nobody can guess. What no row of a
// database names is removed after a while. pictures → emoji, avatars.
type Pictures interface {
	// Put stores pictures that were made of one upload, and gives their addresses from the server's root. Nothing names
	// them yet. Not inside Do. Errors: Unavailable.
	Put(ctx context.Context, r realm.ID, folder string, made ...picture.Made) (paths []string, err error)
	// Claim says that a row names the pictures from now on. Inside Do. Errors: Unavailable if they have been removed
	// meanwhile.
	Claim(ctx context.Context, paths ...string) error
	// Release says that no row names the pictures any more; what was never put here is passed over. Inside Do.
	Release(ctx context.Context, paths ...string) error
}

// Avatars says which picture a user has. accounts → avatars.
type Avatars interface {
	// SetAvatar gives a user an uploaded picture by its address, or with "" what everybody begins with, and tells those
	// who see the user. It gives the user as it is then. The caller has checked who may. Inside Do. Errors: BadRequest for
	// no such user.
	SetAvatar(ctx context.Context, by user.Actor, u user.ID, address string) (*user.User, error)
}

// Emblems says which icon and logos a realm has. realm → logos.
type Emblems interface {
	// SetEmblem gives the realm an uploaded picture by its address, or with "" what all begin with, and tells everybody.
	// It gives the realm as it is then. The caller has checked who may. Inside Do.
	SetEmblem(ctx context.Context, by user.Actor, e realm.Emblem, address string) (*realm.Realm, error)
}
