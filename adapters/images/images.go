// Package images converts uploads to pictures: avatars, emoji and icons from PNG, JPEG, GIF and WebP, and previews also
// from TIFF, AVIF and HEIC. Uploads are untrusted: the first bytes determine the format, and the header the cost of
// decoding, which is limited before anything is decoded. Only pixels are kept, so neither a photo's location nor a
// script appended to an image is passed on.
package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"go.uber.org/fx"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the adapter.
var Module = kit.Adapter("images", "go", "Creates pictures and previews from uploads.", Defaults(),
	func(c Config, _ needs) (ports.Images, error) {
		return New(c), nil
	})

type needs struct{ fx.In }

// Config limits the work per upload.
type Config struct {
	MaxMiB    int `yaml:"max_mib"`    // memory for decoding one picture
	MaxFrames int `yaml:"max_frames"` // frames of an animation
	AtOnce    int `yaml:"at_once"`    // concurrent decodings; further requests queue
	// for the previews of one image; only maliciously crafted images take longer
	Timeout time.Duration `yaml:"timeout"`
}

// Defaults returns the default configuration.
func Defaults() Config {
	return Config{MaxMiB: 300, MaxFrames: 500, AtOnce: 2, Timeout: time.Minute}
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.MaxMiB < 1 || c.MaxMiB > 1<<14:
		return errors.New("max_mib: want 1 to 16384")
	case c.MaxFrames < 1 || c.MaxFrames > 10000:
		return errors.New("max_frames: want 1 to 10000")
	case c.AtOnce < 1 || c.AtOnce > 100:
		return errors.New("at_once: want 1 to 100")
	case c.Timeout < time.Second || c.Timeout > 10*time.Minute:
		return errors.New("timeout: want 1s to 10m")
	}
	return nil
}

// maxUpload limits the size of an upload in bytes, whatever the caller's limit.
const maxUpload = 32 << 20

// Maker implements ports.Images.
type Maker struct {
	cfg        Config
	busy       chan struct{}
	previewing chan struct{} // only one preview at a time, since originals may be large
	probing    chan struct{}
	perUser    *kit.Semaphore[user.ID]
}

// New returns a Maker.
func New(c Config) *Maker {
	return &Maker{
		cfg: c, busy: make(chan struct{}, c.AtOnce), previewing: make(chan struct{}, 1),
		probing: make(chan struct{}, c.AtOnce),
		perUser: kit.NewSemaphore[user.ID](1),
	}
}

// Make implements ports.Images.
func (m *Maker) Make(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error) {
	data, err := io.ReadAll(blob.Limited(r, maxUpload))
	if errs.Is(err, errs.TooLarge) {
		return nil, picture.TooMuch()
	}
	if err != nil {
		return nil, err
	}
	f := formatOf(data, formats())
	if f == nil {
		return nil, picture.Bad()
	}
	if err := m.checkCost(f, data); err != nil {
		return nil, err
	}
	if who, ok := ports.Caller(ctx); ok { // a single user must not block all others
		done, err := m.perUser.Acquire(ctx, who.User)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	select {
	case m.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-m.busy }()
	p, err := m.read(ctx, f, data, wantsAnimation(shapes))
	if err != nil {
		return nil, err
	}
	out := make([]picture.Made, len(shapes))
	for i, s := range shapes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if out[i], err = p.make(ctx, s); err != nil {
			return nil, err
		}
		out[i].Suffix = s.Suffix
	}
	return out, nil
}

func wantsAnimation(shapes []picture.Shape) bool {
	for _, s := range shapes {
		if s.Animated {
			return true
		}
	}
	return false
}

// format is a supported image format.
type format struct {
	name          string
	is            func(data []byte) bool
	size          func(io.Reader) (image.Config, error)
	decode        decoder
	bytesPerPixel func(data []byte, c image.Config) int64 // memory in bytes per decoded pixel
	oriented      bool
}

// decoder decodes an image. It stops when ctx ends.
type decoder func(ctx context.Context, data []byte) (image.Image, error)

func decoderOf(decode func(io.Reader) (image.Image, error)) decoder {
	return func(ctx context.Context, data []byte) (image.Image, error) {
		return decode(&contextReader{ctx, bytes.NewReader(data)})
	}
}

// formats lists the formats in the order in which they are tried.
func formats() []format {
	starts := func(magic string) func([]byte) bool {
		return func(b []byte) bool { return bytes.HasPrefix(b, []byte(magic)) }
	}
	return []format{
		{"png", starts("\x89PNG\r\n\x1a\n"), png.DecodeConfig, decoderOf(png.Decode), pngPixelBytes, true},
		{"jpeg", starts("\xff\xd8\xff"), jpeg.DecodeConfig, decoderOf(jpeg.Decode), jpegPixelBytes, true},
		{"gif", func(b []byte) bool { return starts("GIF87a")(b) || starts("GIF89a")(b) }, gif.DecodeConfig,
			decoderOf(gif.Decode), gifPixelBytes, false},
		{"webp", func(b []byte) bool { return starts("RIFF")(b) && len(b) >= 12 && string(b[8:12]) == "WEBP" },
			webp.DecodeConfig, decoderOf(webp.Decode), webpPixelBytes, true},
	}
}

// previewed lists the formats that previews are made from.
func previewed() []format {
	isTIFF := func(b []byte) bool {
		return bytes.HasPrefix(b, []byte("II*\x00")) || bytes.HasPrefix(b, []byte("MM\x00*"))
	}
	return append(formats(),
		format{"tiff", isTIFF, tiff.DecodeConfig, decoderOf(tiff.Decode), pngPixelBytes, true},
		format{"avif", isAVIF, sizeHEIF, decodeHEIF(decodeAVIF(avifMachines)), heifPixelBytes, true},
		format{"heic", isHEIC, sizeHEIF, decodeHEIF(decodeHEIC(heicMachines)), heifPixelBytes, false},
	)
}

// orientationOf returns the EXIF orientation of an image, from 1 to 8.
func (f *format) orientationOf(data []byte) int {
	switch {
	case f.name == "avif":
		return heifOrientation(data)
	case f.oriented:
		return orientation(f.name, data)
	}
	return 1
}

func formatOf(data []byte, known []format) *format {
	for _, f := range known {
		if f.is(data) {
			return &f
		}
	}
	return nil
}

// read decodes an upload: all frames of an animation if animated is set, otherwise only the first.
func (m *Maker) read(ctx context.Context, f *format, data []byte, animated bool) (p *source, err error) {
	defer func() {
		if panicValue := recover(); panicValue != nil { // a decoder's bug must do no more harm than a bad picture
			p, err = nil, picture.Bad().Because(fmt.Errorf("decode %s: panic: %v", f.name, panicValue))
		}
	}()
	if f.name == "gif" && animated {
		p, err = readGIF(&contextReader{ctx, bytes.NewReader(data)})
	} else {
		var img image.Image
		if img, err = f.decode(ctx, data); err == nil {
			p = &source{still: img, orientation: 1}
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, picture.Bad().Because(fmt.Errorf("decode %s: %w", f.name, err))
	}
	p.orientation = f.orientationOf(data)
	return p, nil
}

// contextReader fails when ctx ends, which stops decoding.
type contextReader struct {
	ctx context.Context
	r   *bytes.Reader
}

// ReadAt implements io.ReaderAt: decoders that need random access would otherwise read the whole file first.
func (p *contextReader) ReadAt(b []byte, off int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.ReadAt(b, off)
}

// Read implements io.Reader.
func (p *contextReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
