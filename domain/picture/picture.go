// Package picture describes uploaded pictures and the pictures made from them (ports.Images, ports.ImageStore).
package picture

import "github.com/stoachat/stoa/domain/errs"

// Shape describes a picture to make from an upload.
type Shape struct {
	Width, Height int    // pixels
	Inside        bool   // scaled down to fit, never enlarged; otherwise fills the shape, cropped
	Animated      bool   // keeps an animation; otherwise the first frame
	Suffix        string // copied to Made
}

// Header is the information in an image's header.
type Header struct {
	Width, Height int // pixels as shown, after the rotation in the metadata
	Frames        int // 1: not animated
}

// Made is a re-encoded picture, which contains nothing of the upload but its pixels.
type Made struct {
	Data     []byte
	Ext      string // png or gif; webp for previews
	Animated bool
	Suffix   string // appended to the name; distinguishes the pictures of one upload
}

// MaxUpload is the maximum size of an uploaded picture, in bytes.
const MaxUpload = 5 << 20

// MaxPreviewed is the maximum size of an image with previews, in bytes.
const MaxPreviewed = 64 << 20

// Types returns the content types of stored pictures by file extension. No other files are served.
func Types() map[string]string { return map[string]string{"png": "image/png", "gif": "image/gif"} }

// Bad returns the error for data that is not an image.
func Bad() *errs.Error {
	return errs.New(errs.BadImage, "Could not decode image; did you upload an image file?")
}

// TooMuch returns the error for an image that would cost too much to decode.
func TooMuch() *errs.Error {
	return errs.New(errs.BadImage, "Image size exceeds limit.")
}
