package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
)

// Images converts untrusted uploads to pictures that retain nothing but the visible pixels. adapter → emoji, avatars,
// uploads. It isolates the decoders of image formats.
type Images interface {
	// Make decodes an upload and returns a picture per shape. Not inside Do. Errors: BadImage for anything that is
	// not an image, or would cost too much to decode; those of r unchanged.
	Make(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error)
	// Probe reads the header of an image without decoding it. Errors: BadImage for formats without previews and for
	// images that are too large; those of r.
	Probe(ctx context.Context, r io.Reader) (picture.Header, error)
	// Preview makes a WebP of each shape, no larger than the original. It may take seconds and processes one image at
	// a time. Not inside Do. Errors: as Probe, and BadImage for images that can't be decoded.
	Preview(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error)
}

// ImageStore stores pictures at unguessable addresses that anyone can fetch. Pictures without a claim are removed after
// a while. pictures → emoji, avatars. It is a port because it stores pictures.
type ImageStore interface {
	// Put stores the pictures made from one upload and returns their paths from the server's root, still unclaimed.
	// Not inside Do. Errors: Unavailable.
	Put(ctx context.Context, r realm.ID, folder string, made ...picture.Made) (paths []string, err error)
	// Claim records that a row refers to the pictures. Inside Do. Errors: Unavailable if they have already been
	// removed.
	Claim(ctx context.Context, paths ...string) error
	// Release records that no row refers to the pictures any longer. Unknown paths are ignored. Inside Do.
	Release(ctx context.Context, paths ...string) error
}
