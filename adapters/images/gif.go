package images

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/gif"
	"io"

	"golang.org/x/image/draw"

	"github.com/stoachat/stoa/domain/picture"
)

// frame is one frame of an animation. It covers only what it changes in the previous frames.
type frame struct {
	img      *image.Paletted
	delay    int // hundredths of a second
	disposal byte
}

// minDelay is the shortest delay, in hundredths of a second. Browsers treat shorter ones as mistakes.
const minDelay = 2

func readGIF(r io.Reader) (*source, error) {
	g, err := gif.DecodeAll(r)
	if err != nil {
		return nil, err
	}
	if len(g.Image) == 0 {
		return nil, errors.New("no frames")
	}
	canvas := image.Rect(0, 0, g.Config.Width, g.Config.Height)
	p := &source{orientation: 1, loops: g.LoopCount}
	for i, img := range g.Image {
		p.frames = append(p.frames, frame{img, max(g.Delay[i], 0), g.Disposal[i]})
	}
	first := image.NewNRGBA(canvas)
	draw.Draw(first, p.frames[0].img.Rect, p.frames[0].img, p.frames[0].img.Rect.Min, draw.Over)
	p.still = first
	return p, nil
}

// animation returns the animation scaled to a shape. It paints the frames one over the other, as browsers do, and
// stores each result as a whole frame, so that frames no longer depend on each other.
func (p *source) animation(ctx context.Context, s picture.Shape) ([]byte, error) {
	canvas := image.NewNRGBA(p.still.Bounds())
	var before *image.NRGBA
	out := gif.GIF{LoopCount: p.loops}
	for _, f := range p.frames {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.disposal == gif.DisposalPrevious {
			if before == nil {
				before = image.NewNRGBA(canvas.Rect)
			}
			copy(before.Pix, canvas.Pix)
		}
		draw.Draw(canvas, f.img.Rect, f.img, f.img.Rect.Min, draw.Over)
		out.Image = append(out.Image, toPaletted(scaleToShape(canvas, s, 1)))
		out.Delay = append(out.Delay, max(f.delay, minDelay))
		out.Disposal = append(out.Disposal, gif.DisposalBackground)
		switch f.disposal {
		case gif.DisposalBackground:
			draw.Draw(canvas, f.img.Rect, image.Transparent, image.Point{}, draw.Src)
		case gif.DisposalPrevious:
			canvas.Pix, before.Pix = before.Pix, canvas.Pix
		}
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &out)
	return b.Bytes(), err
}
