package images_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/png"
	"io"
	"testing"

	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

// FuzzMake checks that any input yields a picture of the requested size or a refusal.
func FuzzMake(f *testing.F) {
	four := quarters(20, 10, red, green, blue, white)
	f.Add(encoded(f, four, png.Encode))
	f.Add(encoded(f, four, asJPEG))
	f.Add(encoded(f, four, func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	m := images.New(images.Config{MaxMiB: 8, MaxFrames: 20, AtOnce: 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := m.Make(t.Context(), bytes.NewReader(data), picture.Shape{Width: 16, Height: 16, Animated: true},
			picture.Shape{Width: 16, Height: 16})
		if err != nil {
			if !errs.Is(err, errs.BadImage) {
				t.Error(err)
			}
			return
		}
		for _, p := range out {
			c, kind, err := image.DecodeConfig(bytes.NewReader(p.Data))
			if err != nil || kind != p.Ext || c.Width != 16 || c.Height != 16 {
				t.Errorf("%s %dx%d: %v", kind, c.Width, c.Height, err)
			}
		}
	})
}
