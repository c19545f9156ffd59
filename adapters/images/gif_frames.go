package images

import (
	"bytes"
	"context"
	"image"
	"image/gif"

	"golang.org/x/image/draw"
)

// playGIFFrames paints up to n frames of a GIF. It does not decode later frames.
func playGIFFrames(ctx context.Context, data []byte, n int, onFrame func(*image.NRGBA, int) error) error {
	if end := endOfFrames(data, n); end < len(data) {
		data = append(data[:end:end], 0x3b)
	}
	g, err := gif.DecodeAll(&contextReader{ctx, bytes.NewReader(data)})
	if err != nil {
		return err
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	var before []uint8
	for i, img := range g.Image {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g.Disposal[i] == gif.DisposalPrevious {
			before = append(before[:0], canvas.Pix...)
		}
		paint(canvas, img)
		if err := onFrame(canvas, 10*g.Delay[i]); err != nil {
			return err
		}
		switch g.Disposal[i] {
		case gif.DisposalBackground:
			draw.Draw(canvas, img.Rect, image.Transparent, image.Point{}, draw.Src)
		case gif.DisposalPrevious:
			copy(canvas.Pix, before)
		}
		g.Image[i] = nil
	}
	return nil
}

// paint draws a frame onto the canvas. Its pixels are either opaque or transparent.
func paint(canvas *image.NRGBA, img *image.Paletted) {
	var colors [256][4]uint8
	for i, c := range img.Palette {
		r, g, b, a := c.RGBA()
		colors[i&0xff] = [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
	}
	area := img.Rect.Intersect(canvas.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := img.Pix[img.PixOffset(area.Min.X, y):][:area.Dx()]
		to := canvas.Pix[canvas.PixOffset(area.Min.X, y):][:4*area.Dx()]
		for x, p := range from {
			if c := colors[p]; c[3] != 0 {
				copy(to[4*x:], c[:])
			}
		}
	}
}
