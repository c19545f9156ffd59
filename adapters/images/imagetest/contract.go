package imagetest

import (
	"bytes"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/ports"
)

// Contract tests a ports.Images with the default limits.
func Contract(t *testing.T, m ports.Images) {
	t.Helper()
	const w, h = 240, 120
	uploads := map[string][]byte{"png": pngWithText(t, w, h), "jpeg": jpegOf(t, w, h)}
	for kind, data := range uploads {
		made, err := m.Make(t.Context(), bytes.NewReader(data), picture.Shape{Width: 64, Height: 64},
			picture.Shape{Width: 100, Height: 100, Inside: true})
		if err != nil || len(made) != 2 {
			t.Fatalf("%s: %d pictures, %v", kind, len(made), err)
		}
		for i, want := range []image.Point{{X: 64, Y: 64}, {X: 100, Y: 50}} {
			img, format, err := image.Decode(bytes.NewReader(made[i].Data))
			if err != nil || format != made[i].Ext || img.Bounds().Size() != want || made[i].Animated {
				t.Errorf("%s: picture %d is %v, %s (said: %s); %v", kind, i, img, format, made[i].Ext, err)
				continue
			}
			if r, g, b, _ := img.At(want.X/2, want.Y/2).RGBA(); r < 0xe000 || g > 0x2000 || b > 0x2000 {
				t.Errorf("%s: the red picture %d is %x %x %x", kind, i, r, g, b)
			}
			if bytes.Contains(made[i].Data, []byte(hiddenText)) {
				t.Errorf("%s: picture %d contains text of the upload", kind, i)
			}
		}
		head, err := m.Probe(t.Context(), bytes.NewReader(data))
		if err != nil || head.Width != w || head.Height != h {
			t.Errorf("%s: header %+v, %v", kind, head, err)
		}
		previews, err := m.Preview(t.Context(), bytes.NewReader(data),
			picture.Shape{Width: 100, Height: 100, Inside: true}, picture.Shape{Width: 800, Height: 800, Inside: true})
		if err != nil || len(previews) != 2 {
			t.Fatalf("%s: %d previews, %v", kind, len(previews), err)
		}
		for i, p := range previews {
			if p.Ext != "webp" || !bytes.HasPrefix(p.Data, []byte("RIFF")) {
				t.Errorf("%s: preview %d is a %s", kind, i, p.Ext)
			}
			at, err := m.Probe(t.Context(), bytes.NewReader(p.Data))
			if err != nil || at.Width != min(w, []int{100, 800}[i]) {
				t.Errorf("%s: preview %d: %+v, %v", kind, i, at, err)
			}
		}
	}
	square := picture.Shape{Width: 64, Height: 64}
	calls := map[string]func(io.Reader) error{
		"make":    func(r io.Reader) error { _, err := m.Make(t.Context(), r, square); return err },
		"probe":   func(r io.Reader) error { _, err := m.Probe(t.Context(), r); return err },
		"preview": func(r io.Reader) error { _, err := m.Preview(t.Context(), r, square); return err },
	}
	torn := errors.New("torn")
	for name, call := range calls {
		for what, data := range map[string][]byte{
			"nothing": {}, "text": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "beginning": uploads["png"][:20],
		} {
			if err := call(bytes.NewReader(data)); !errs.Is(err, errs.BadImage) {
				t.Errorf("%s of %s: %v", name, what, err)
			}
		}
		if err := call(iotest.ErrReader(torn)); !errors.Is(err, torn) {
			t.Errorf("%s of a broken upload: %v", name, err)
		}
	}
}

// hiddenText is in the metadata of an upload, where it may be a place or a name.
const hiddenText = "taken at home"

func red(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.NRGBA{R: 0xff, A: 0xff}), image.Point{}, draw.Src)
	return img
}

func jpegOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, red(w, h), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	comment := append([]byte{0xff, 0xfe, 0, byte(len(hiddenText) + 2)}, hiddenText...)
	return append(append(b.Bytes()[:2:2], comment...), b.Bytes()[2:]...)
}

// pngWithText returns a PNG with a chunk tEXt after its header.
func pngWithText(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, red(w, h)); err != nil {
		t.Fatal(err)
	}
	const header = 8 + 25
	chunk := append([]byte("tEXtComment\x00"), hiddenText...)
	chunk = append(append(u32(len(chunk)-4), chunk...), u32(int(crc32.ChecksumIEEE(chunk)))...)
	return append(append(b.Bytes()[:header:header], chunk...), b.Bytes()[header:]...)
}
