// Package picture is pictures that people upload, and what is made of them before anybody sees them (ports.Images,
// ports.Pictures).
package picture

import "github.com/stoachat/stoa/domain/errs"

// Shape says what to make of an upload.
type Shape struct {
	Width, Height int    // pixels
	Inside        bool   // fits within them as it is, never enlarged; otherwise fills them, cut at the edges
	Animated      bool   // keeps moving if it does; otherwise its first frame
	Suffix        string // for Made
}

// Header is what the header of an image says.
type Header struct {
	Width, Height int // pixels, as shown: after the rotation that the image asks for
	Frames        int // 1: it does not move
}

// Made is a picture that was made: nothing of the upload is in it but what one sees.
type Made struct {
	Data     []byte
	Ext      string // png or gif; webp of previews
	Animated bool
	Suffix   string // of its name, by which several of one upload differ
}

// MaxUpload is how many bytes of a picture are taken from people.
const MaxUpload = 5 << 20

// MaxPreviewed is the largest image, in bytes, of which previews are made.
const MaxPreviewed = 64 << 20

// Types are the content types of stored pictures by the end of their names, and the only ones that are served.
func Types() map[string]string { return map[string]string{"png": "image/png", "gif": "image/gif"} }

// Bad is the error for what is no picture.
func Bad() *errs.Error {
	return errs.New(errs.BadImage, "Could not decode image; did you upload an image file?")
}

// TooMuch is the error for a picture that would take too much to decode.
func TooMuch() *errs.Error {
	return errs.New(errs.BadImage, "Image size exceeds limit.")
}
