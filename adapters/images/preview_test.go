package images_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"testing"

	"github.com/gen2brain/avif"
	"github.com/gen2brain/webp"
	"golang.org/x/image/tiff"
	xwebp "golang.org/x/image/webp"

	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/images/imagetest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

var (
	still       = picture.Shape{Width: 840, Height: 560, Inside: true}
	movingShape = picture.Shape{Width: 840, Height: 560, Inside: true, Animated: true}
)

func asTIFF(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) }
func asWebP(w io.Writer, img image.Image) error { return webp.Encode(w, img) }
func asAVIF(w io.Writer, img image.Image) error {
	return avif.Encode(w, img, avif.Options{Quality: 90, QualityAlpha: 90, Speed: 10,
		ChromaSubsampling: image.YCbCrSubsampleRatio444})
}

// Every format can be probed, and is converted to a WebP with the same content.
func TestPreviews(t *testing.T) {
	pic := quarters(1200, 400, red, green, blue, white)
	m := images.New(images.Defaults())
	for name, data := range map[string][]byte{
		"png": encoded(t, pic, png.Encode), "jpeg": encoded(t, pic, asJPEG), "tiff": encoded(t, pic, asTIFF),
		"webp": encoded(t, pic, asWebP),
		"avif": encoded(t, pic, asAVIF),
	} {
		h, err := m.Probe(t.Context(), bytes.NewReader(data))
		if err != nil || h != (picture.Header{Width: 1200, Height: 400, Frames: 1}) {
			t.Errorf("%s: %+v, %v", name, h, err)
			continue
		}
		made, err := m.Preview(t.Context(), bytes.NewReader(data), still)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img, err := xwebp.Decode(bytes.NewReader(made[0].Data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		isSize(t, name, img, 840, 280)
		sees(t, name, img, red, green, blue, white)
	}
}

func TestPreviewOfHEIC(t *testing.T) {
	data := imagetest.HEIC(t, 2, 1, 640, 480, 3)
	m := images.New(images.Defaults())
	h, err := m.Probe(t.Context(), bytes.NewReader(data))
	if err != nil || h != (picture.Header{Width: 480, Height: 640, Frames: 1}) {
		t.Fatalf("%+v, %v", h, err)
	}
	made, err := m.Preview(t.Context(), bytes.NewReader(data), still,
		picture.Shape{Width: 3024, Height: 4032, Inside: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []image.Point{{420, 560}, {480, 640}} {
		if c, err := xwebp.DecodeConfig(bytes.NewReader(made[i].Data)); err != nil || c.Width != want.X ||
			c.Height != want.Y {
			t.Errorf("%+v, want %v; %v", c, want, err)
		}
	}
}

// animated returns a GIF whose frames are red, green, blue, ...
func animated(t *testing.T, w, h, frames int) []byte {
	t.Helper()
	p := color.Palette{color.Transparent, red, green, blue}
	g := gif.GIF{}
	for i := range frames {
		img := image.NewPaletted(image.Rect(0, 0, w, h), p)
		for j := range img.Pix {
			img.Pix[j] = uint8(1 + i%3)
		}
		g.Image = append(g.Image, img)
		g.Delay = append(g.Delay, 7)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Animated GIF and WebP images have an animated preview, and a still one.
func TestMovingPreviews(t *testing.T) {
	m := images.New(images.Defaults())
	fromGIF := animated(t, 60, 40, 4)
	made, err := m.Preview(t.Context(), bytes.NewReader(fromGIF), movingShape, still)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Preview(t.Context(), bytes.NewReader(made[0].Data), movingShape, still)
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range [][]picture.Made{made, again} {
		all, err := webp.DecodeAll(bytes.NewReader(pair[0].Data))
		if err != nil || len(all.Image) != 4 || !pair[0].Animated {
			t.Fatalf("%d: %v, %d frames", i, err, len(all.Image))
		}
		for j, img := range all.Image {
			isSize(t, "frame", img, 60, 40)
			c := []color.NRGBA{red, green, blue}[j%3]
			sees(t, "frame", img, c, c, c, c)
		}
		img, err := xwebp.Decode(bytes.NewReader(pair[1].Data))
		if err != nil {
			t.Fatal(err)
		}
		sees(t, "first frame", img, red, red, red, red)
	}
	if h, err := m.Probe(t.Context(), bytes.NewReader(made[0].Data)); err != nil ||
		h != (picture.Header{Width: 60, Height: 40, Frames: 4}) {
		t.Errorf("%+v, %v", h, err)
	}
}

// Previews apply the EXIF orientation and contain no metadata.
func TestPreviewKeepsPixelsOnly(t *testing.T) {
	data := withEXIF(t, encoded(t, quarters(80, 40, red, green, blue, white), asJPEG), 6)
	m := images.New(images.Defaults())
	if h, err := m.Probe(t.Context(), bytes.NewReader(data)); err != nil || h.Width != 40 || h.Height != 80 {
		t.Errorf("%+v, %v", h, err)
	}
	made, err := m.Preview(t.Context(), bytes.NewReader(data), still)
	if err != nil {
		t.Fatal(err)
	}
	img, err := xwebp.Decode(bytes.NewReader(made[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	isSize(t, "turned", img, 40, 80)
	sees(t, "turned", img, blue, red, white, green)
	if bytes.Contains(made[0].Data, []byte("EXIF")) || bytes.Contains(made[0].Data, []byte("Exif")) {
		t.Error("the preview has EXIF data")
	}
}

// withEXIF inserts an orientation into a JPEG.
func withEXIF(t *testing.T, data []byte, turn uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	for _, v := range []uint16{turn, 0, 0, 0} {
		if err := binary.Write(&b, binary.BigEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	size := []byte{0xff, 0xe1, byte((b.Len() + 2) >> 8), byte(b.Len() + 2)}
	return append(append(append(data[:2:2], size...), b.Bytes()...), data[2:]...)
}

// Images whose header exceeds the limits are refused before they are decoded. Data in other formats is refused.
func TestProbeRefuses(t *testing.T) {
	m := images.New(images.Defaults())
	huge := encoded(t, quarters(1, 1, red, red, red, red), png.Encode)
	binary.BigEndian.PutUint32(huge[16:], 64000)
	binary.BigEndian.PutUint32(huge[20:], 64000)
	wide := animated(t, 4000, 3000, 1)
	long := append(append([]byte{}, wide[:len(wide)-1]...), bytes.Repeat(wide[13+3*4:len(wide)-1], 2)...)
	long = append(long, 0x3b)
	if h, err := m.Probe(t.Context(), bytes.NewReader(wide)); err != nil || h.Frames != 1 {
		t.Errorf("a still image of 12 million pixels: %+v, %v", h, err)
	}
	for name, data := range map[string][]byte{
		"64,000 x 64,000": huge, "an animation of 36 million pixels": long,
		"no image": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
		"empty":    nil, "cut off": encoded(t, quarters(9, 9, red, red, red, red), png.Encode)[:20],
		"HEIC without boxes":   []byte("\x00\x00\x00\x10ftypheic\x00\x00\x00\x00"),
		"AVIF with a huge box": []byte("\x00\x00\x00\x14ftypavif\x00\x00\x00\x00avif\xff\xff\xff\xffmeta"),
	} {
		if h, err := m.Probe(t.Context(), bytes.NewReader(data)); !errs.Is(err, errs.BadImage) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		if _, err := m.Preview(t.Context(), bytes.NewReader(data), still); !errs.Is(err, errs.BadImage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A long animation is truncated instead of being decoded completely.
func TestLongAnimation(t *testing.T) {
	made, err := images.New(images.Defaults()).Preview(t.Context(), bytes.NewReader(animated(t, 1500, 1000, 120)),
		movingShape)
	if err != nil {
		t.Fatal(err)
	}
	all, err := webp.DecodeAll(bytes.NewReader(made[0].Data))
	if err != nil || len(all.Image) < 3 || len(all.Image) > 60 {
		t.Errorf("%d frames, %v", len(all.Image), err)
	}
}
