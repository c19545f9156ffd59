package images

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"

	"github.com/gen2brain/webp"
	"golang.org/x/image/draw"

	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

// Limits for previews.
const (
	maxStill         = 90_000_000 // pixels of a still image
	maxAnimated      = 30_000_000 // pixels of up to three frames of an animation
	maxDecodedFrames = 90_000_000 // pixels of all decoded frames; longer animations are truncated
	maxEncodedFrames = 12_000_000 // pixels of all frames of an animated preview; longer ones are truncated
	previewMiB       = 600        // memory for decoding, in MiB
)

// Qualities of WebP previews. The encoder runs as interpreted code, so faster methods are preferred.
const (
	stillQuality, stillMethod       = 80, 2
	animatedQuality, animatedMethod = 70, 0
	largeMethod                     = 0
	largeImage                      = 2_000_000 // pixels
)

// Probe implements ports.Images.
func (m *Maker) Probe(ctx context.Context, r io.Reader) (picture.Header, error) {
	select { // before reading, so that waiting takes no memory
	case m.probing <- struct{}{}:
	case <-ctx.Done():
		return picture.Header{}, ctx.Err()
	}
	defer func() { <-m.probing }()
	data, err := readUpload(r)
	if err != nil {
		return picture.Header{}, err
	}
	h, _, err := probe(data)
	return h, err
}

// readUpload reads a whole image. Readers with a known length, such as bytes.Reader, are read without reallocation.
// Errors: BadImage if it is too large; those of r.
func readUpload(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if known, ok := r.(interface{ Len() int }); ok {
		b.Grow(min(known.Len(), picture.MaxPreviewed) + bytes.MinRead)
	}
	_, err := b.ReadFrom(blob.Limited(r, picture.MaxPreviewed))
	if errs.Is(err, errs.TooLarge) {
		return nil, picture.TooMuch()
	}
	return b.Bytes(), err
}

// probe reads the header and checks it against the limits without decoding. Errors: BadImage.
func probe(data []byte) (h picture.Header, f *format, err error) {
	if f = formatOf(data, previewed()); f == nil {
		return h, nil, picture.Bad()
	}
	defer func() {
		if panicValue := recover(); panicValue != nil {
			err = picture.Bad().Because(fmt.Errorf("probe %s: panic: %v", f.name, panicValue))
		}
	}()
	c, err := f.size(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 {
		return h, nil, picture.Bad().Because(err)
	}
	if c.Width > maxSide || c.Height > maxSide {
		return h, nil, picture.TooMuch()
	}
	h = picture.Header{Width: c.Width, Height: c.Height, Frames: 1}
	switch f.name {
	case "gif":
		h.Frames, _, err = scanGIF(data)
	case "jpeg":
		err = checkScans(data)
	case "tiff":
		err = checkTIFFOverlap(data)
	case "webp":
		var frames []webpFrame
		frames, err = webpFrames(data, c)
		h.Frames = max(1, len(frames))
	}
	if err != nil {
		return h, nil, picture.Bad().Because(err)
	}
	area := int64(c.Width) * int64(c.Height)
	if h.Frames < 1 || area > maxStill || h.Frames > 1 && area*int64(min(3, h.Frames)) > maxAnimated ||
		area > previewMiB<<20/f.bytesPerPixel(data, c) {
		return h, nil, picture.TooMuch()
	}
	orientation := f.orientationOf(data)
	if f.name == "heic" { // its decoder applies the rotation
		orientation = heifOrientation(data)
	}
	if orientation >= 5 {
		h.Width, h.Height = h.Height, h.Width
	}
	return h, f, nil
}

// Preview implements ports.Images.
func (m *Maker) Preview(ctx context.Context, r io.Reader, shapes ...picture.Shape) ([]picture.Made, error) {
	select { // before reading, so that waiting takes no memory
	case m.previewing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-m.previewing }()
	data, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	h, f, err := probe(data)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	made, err := m.previews(limited, f, h, data, shapes)
	if limited.Err() != nil && ctx.Err() == nil {
		return nil, picture.TooMuch()
	}
	return made, err
}

func (m *Maker) previews(ctx context.Context, f *format, h picture.Header, data []byte,
	shapes []picture.Shape) (out []picture.Made, err error) {
	defer func() {
		if panicValue := recover(); panicValue != nil { // a decoder's bug must do no more harm than a bad image
			out, err = nil, picture.Bad().Because(fmt.Errorf("preview %s: panic: %v", f.name, panicValue))
		}
	}()
	orientation := f.orientationOf(data)
	var still image.Image
	for _, s := range shapes {
		var b []byte
		if s.Animated {
			b, err = animatedPreview(ctx, f, h, data, s)
		} else {
			if still == nil {
				if still, err = firstFrame(ctx, f, h, data); err != nil {
					return nil, decodeError(ctx, f, err)
				}
			}
			b, err = encodeStill(oriented(unpremultiply(fitToShape(still, s, orientation)), orientation))
		}
		if err != nil {
			return nil, decodeError(ctx, f, err)
		}
		out = append(out, picture.Made{Data: b, Ext: "webp", Animated: s.Animated, Suffix: s.Suffix})
	}
	return out, nil
}

func decodeError(ctx context.Context, f *format, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return picture.Bad().Because(fmt.Errorf("preview %s: %w", f.name, err))
}

// firstFrame decodes a still image, or the first frame of an animation.
func firstFrame(ctx context.Context, f *format, h picture.Header, data []byte) (image.Image, error) {
	if h.Frames == 1 {
		return f.decode(ctx, data)
	}
	var first image.Image
	err := playFrames(ctx, f, data, 1, func(canvas *image.NRGBA, _ int) error { first = canvas; return nil })
	return first, err
}

// playFrames paints up to n frames of an animation one after the other, and calls onFrame with the canvas after each
// frame and the frame's delay in milliseconds.
func playFrames(
	ctx context.Context, f *format, data []byte, n int, onFrame func(canvas *image.NRGBA, delay int) error,
) error {
	if f.name == "gif" {
		return playGIFFrames(ctx, data, n, onFrame)
	}
	return playWebPFrames(ctx, data, n, onFrame)
}

// animatedPreview returns an animated preview, truncated to the limits.
func animatedPreview(ctx context.Context, f *format, h picture.Header, data []byte, s picture.Shape) ([]byte, error) {
	area := h.Width * h.Height
	w, height := within(h.Width, h.Height, s.Width, s.Height)
	n := min(h.Frames, max(1, maxDecodedFrames/area), max(1, maxEncodedFrames/(w*height)), maxPreviewFrames)
	var anim webp.WEBP
	err := playFrames(ctx, f, data, n, func(canvas *image.NRGBA, delay int) error {
		anim.Image = append(anim.Image, unpremultiply(fitToShape(canvas, s, 1)))
		anim.Delay = append(anim.Delay, max(delay, 10*minDelay))
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = webp.EncodeAll(&b, &anim, webp.Options{Quality: animatedQuality, Method: animatedMethod})
	return b.Bytes(), err
}

// maxPreviewFrames limits the frames of an animated preview.
const maxPreviewFrames = 500

func encodeStill(img *image.NRGBA) ([]byte, error) {
	method := stillMethod
	if img.Rect.Dx()*img.Rect.Dy() > largeImage {
		method = largeMethod
	}
	var b bytes.Buffer
	err := webp.Encode(&b, img, webp.Options{Quality: stillQuality, Method: method})
	return b.Bytes(), err
}

// fitToShape scales an image down to fit into a shape. The image is not rotated yet.
func fitToShape(img image.Image, s picture.Shape, orientation int) *image.RGBA {
	w, h := s.Width, s.Height
	if orientation >= 5 {
		w, h = h, w
	}
	from := img.Bounds()
	w, h = within(from.Dx(), from.Dy(), w, h)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if w == from.Dx() && h == from.Dy() {
		draw.Draw(out, out.Rect, img, from.Min, draw.Src)
		return out
	}
	var by draw.Scaler = draw.CatmullRom
	if w*h > largeImage { // the tables of CatmullRom grow with the original's height
		by = draw.ApproxBiLinear
	} else if near := 4 * max(w, h); from.Dx() > near || from.Dy() > near {
		nw, nh := within(from.Dx(), from.Dy(), near, near)
		smaller := image.NewRGBA(image.Rect(0, 0, nw, nh))
		draw.ApproxBiLinear.Scale(smaller, smaller.Rect, img, from, draw.Src, nil)
		img, from = smaller, smaller.Rect
	}
	by.Scale(out, out.Rect, img, from, draw.Src, nil)
	return out
}

// unpremultiply converts premultiplied to straight alpha, which encoders expect.
func unpremultiply(img *image.RGBA) *image.NRGBA {
	out := &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	for i := 0; i < len(out.Pix); i += 4 {
		p := out.Pix[i : i+4 : i+4]
		if a := uint32(p[3]); a != 0 && a != 0xff {
			for c := range 3 {
				p[c] = uint8(min(0xff, uint32(p[c])*0xff/a)) // at most 255
			}
		}
	}
	return out
}
