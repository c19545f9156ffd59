package images

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// webpFrame is a frame of an animated WebP (RFC 9649, section 2.7.1.1).
type webpFrame struct {
	at      image.Rectangle // position on the canvas
	delay   int             // milliseconds
	blend   bool            // blend with the previous frames; otherwise replace them
	dispose bool            // clear its area to transparent afterwards
	chunks  []byte          // of the frame's image
}

// webpFrames returns the frames of an animated WebP without decoding them, or none for a still image.
func webpFrames(data []byte, canvas image.Config) ([]webpFrame, error) {
	var all []webpFrame
	err := riff(data[12:], func(kind string, body []byte) error {
		if kind != "ANMF" {
			return nil
		}
		if len(body) < 16 {
			return errors.New("a frame without a header")
		}
		x, y, w, h := 2*u24(body), 2*u24(body[3:]), u24(body[6:])+1, u24(body[9:])+1
		f := webpFrame{
			at: image.Rect(x, y, x+w, y+h), delay: u24(body[12:]), blend: body[15]&2 == 0, dispose: body[15]&1 != 0,
			chunks: body[16:],
		}
		if !f.at.In(image.Rect(0, 0, canvas.Width, canvas.Height)) {
			return errors.New("a frame outside the canvas")
		}
		all = append(all, f)
		return nil
	})
	return all, err
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// riff calls fn for each chunk. A truncated file is read up to its last complete chunk.
func riff(data []byte, fn func(kind string, body []byte) error) error {
	for len(data) >= 8 {
		size := int(binary.LittleEndian.Uint32(data[4:]))
		if size > len(data)-8 {
			return nil
		}
		if err := fn(string(data[:4]), data[8:8+size]); err != nil {
			return err
		}
		data = data[min(len(data), 8+size+size&1):]
	}
	return nil
}

// still returns the frame's image as a separate file.
func (f *webpFrame) still() ([]byte, error) {
	var alpha, img bytes.Buffer
	lossless := false
	err := riff(f.chunks, func(kind string, body []byte) error {
		var to *bytes.Buffer
		switch kind {
		case "ALPH":
			to = &alpha
		case "VP8 ", "VP8L":
			to, lossless = &img, kind == "VP8L"
		default:
			return nil
		}
		if to.Len() == 0 {
			chunk(to, kind, body)
		}
		return nil
	})
	if err != nil || img.Len() == 0 {
		return nil, errors.Join(err, errors.New("a frame without an image"))
	}
	var body bytes.Buffer
	body.WriteString("WEBP")
	if alpha.Len() > 0 && !lossless {
		var x [10]byte
		x[0] = 0x10 // has alpha
		put24(x[4:], f.at.Dx()-1)
		put24(x[7:], f.at.Dy()-1)
		chunk(&body, "VP8X", x[:])
		body.Write(alpha.Bytes())
	}
	body.Write(img.Bytes())
	var file bytes.Buffer
	file.WriteString("RIFF")
	_ = binary.Write(&file, binary.LittleEndian, uint32(body.Len())) // into memory
	file.Write(body.Bytes())
	return file.Bytes(), nil
}

func put24(b []byte, n int) { b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16) }

func chunk(to *bytes.Buffer, kind string, body []byte) {
	to.WriteString(kind)
	_ = binary.Write(to, binary.LittleEndian, uint32(len(body))) // into memory
	to.Write(body)
	if len(body)&1 == 1 {
		to.WriteByte(0)
	}
}

// playWebPFrames paints up to n frames of an animated WebP. It does not decode later frames.
func playWebPFrames(ctx context.Context, data []byte, n int, onFrame func(*image.NRGBA, int) error) error {
	c, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err
	}
	frames, err := webpFrames(data, c)
	if err != nil {
		return err
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, c.Width, c.Height))
	for _, f := range frames[:min(n, len(frames))] {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := f.still()
		if err != nil {
			return err
		}
		cfg, err := webp.DecodeConfig(bytes.NewReader(file))
		if err != nil || cfg.Width != f.at.Dx() || cfg.Height != f.at.Dy() {
			return errors.Join(err, errors.New("a frame of another size"))
		}
		img, err := webp.Decode(bytes.NewReader(file))
		if err != nil {
			return err
		}
		op := draw.Src
		if f.blend {
			op = draw.Over
		}
		draw.Draw(canvas, f.at, img, img.Bounds().Min, op)
		if err := onFrame(canvas, f.delay); err != nil {
			return err
		}
		if f.dispose {
			draw.Draw(canvas, f.at, image.Transparent, image.Point{}, draw.Src)
		}
	}
	return nil
}
