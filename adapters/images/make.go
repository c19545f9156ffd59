package images

import (
	"bytes"
	"context"
	"image"
	"image/png"

	"golang.org/x/image/draw"

	"github.com/stoachat/stoa/domain/picture"
)

// source is a decoded upload.
type source struct {
	still       image.Image
	frames      []frame // of an animation
	loops       int
	orientation int // EXIF orientation
}

// make returns the picture in one shape.
func (p *source) make(ctx context.Context, s picture.Shape) (picture.Made, error) {
	if s.Animated && len(p.frames) > 1 {
		data, err := p.animation(ctx, s)
		return picture.Made{Data: data, Ext: "gif", Animated: true}, err
	}
	var b bytes.Buffer
	err := png.Encode(&b, oriented(scaleToShape(p.still, s, p.orientation), p.orientation))
	return picture.Made{Data: b.Bytes(), Ext: "png"}, err
}

// scaleToShape scales an image to a shape. The image is not rotated yet.
func scaleToShape(img image.Image, s picture.Shape, orientation int) *image.NRGBA {
	w, h := s.Width, s.Height
	if orientation >= 5 { // rotated by 90 degrees
		w, h = h, w
	}
	from := img.Bounds()
	if s.Inside {
		w, h = within(from.Dx(), from.Dy(), w, h)
	} else {
		from = centerCrop(from, w, h)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	// Smooth scaling reads every pixel and keeps rows of intermediate values, so scale much larger pictures down roughly
	// first.
	if near := 4 * max(w, h); from.Dx() > 2*near || from.Dy() > 2*near {
		nw, nh := within(from.Dx(), from.Dy(), near, near)
		smaller := image.NewNRGBA(image.Rect(0, 0, nw, nh))
		draw.ApproxBiLinear.Scale(smaller, smaller.Bounds(), img, from, draw.Src, nil)
		img, from = smaller, smaller.Bounds()
	}
	draw.CatmullRom.Scale(out, out.Bounds(), img, from, draw.Src, nil)
	return out
}

// within returns the largest size with the proportions of w and h that fits into a box, but not more than w and h.
func within(w, h, boxW, boxH int) (width, height int) {
	if w <= boxW && h <= boxH {
		return w, h
	}
	if int64(w)*int64(boxH) > int64(h)*int64(boxW) {
		return boxW, max(1, int(int64(h)*int64(boxW)/int64(w)))
	}
	return max(1, int(int64(w)*int64(boxH)/int64(h))), boxH
}

// centerCrop returns the largest centered part of r with the proportions of w and h.
func centerCrop(r image.Rectangle, w, h int) image.Rectangle {
	cutW, cutH := r.Dx(), r.Dy()
	if int64(cutW)*int64(h) > int64(cutH)*int64(w) {
		cutW = max(1, int(int64(cutH)*int64(w)/int64(h)))
	} else {
		cutH = max(1, int(int64(cutW)*int64(h)/int64(w)))
	}
	at := r.Min.Add(image.Pt((r.Dx()-cutW)/2, (r.Dy()-cutH)/2))
	return image.Rectangle{at, at.Add(image.Pt(cutW, cutH))}
}

// oriented applies an EXIF orientation (EXIF 2.3).
func oriented(img *image.NRGBA, orientation int) *image.NRGBA {
	if orientation <= 1 || orientation > 8 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			out.SetNRGBA(tx, ty, img.NRGBAAt(x, y))
		}
	}
	return out
}
