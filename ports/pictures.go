package ports

import (
	"context"
	"io"

	"github.com/stoachat/stoa/domain/picture"
)

// Images makes pictures out of what people upload, which is taken for hostile: nothing of it is kept but what one sees. adapter →
// emoji, avatars.
type Images interface {
	// Make reads an upload and makes a picture of each shape. Not inside Do. Errors: BadImage for what is no picture, or one
	// that would take too much to decode; those of r as they are.
	Make(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error)
}
