package images_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/images/imagetest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

var (
	red    = color.NRGBA{R: 0xff, A: 0xff}
	green  = color.NRGBA{G: 0xff, A: 0xff}
	blue   = color.NRGBA{B: 0xff, A: 0xff}
	white  = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	none   = color.NRGBA{}
	square = picture.Shape{Width: 64, Height: 64}
)

// quarters returns an image with a different color in each quarter.
func quarters(w, h int, topLeft, topRight, bottomLeft, bottomRight color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.Color{topLeft, topRight, bottomLeft, bottomRight} {
		at := image.Rect(0, 0, (w+1)/2, (h+1)/2).Add(image.Pt(i%2*((w+1)/2), i/2*((h+1)/2)))
		draw.Draw(img, at, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

func encoded(t testing.TB, img image.Image, how func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := how(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(w io.Writer, img image.Image) error {
	return jpeg.Encode(w, img, &jpeg.Options{Quality: 100})
}

func makeOne(t *testing.T, data []byte, s picture.Shape) (image.Image, picture.Made) {
	t.Helper()
	out, err := images.New(images.Defaults()).Make(t.Context(), bytes.NewReader(data), s)
	if err != nil {
		t.Fatal(err)
	}
	img, kind, err := image.Decode(bytes.NewReader(out[0].Data))
	if err != nil || kind != out[0].Ext {
		t.Fatalf("%s is reported as %s; %v", kind, out[0].Ext, err)
	}
	return img, out[0]
}

// sees checks that the four quarters have approximately the given colors.
func sees(t *testing.T, what string, img image.Image, want ...color.NRGBA) {
	t.Helper()
	b := img.Bounds()
	for i, w := range want {
		x, y := b.Min.X+b.Dx()/4+i%2*b.Dx()/2, b.Min.Y+b.Dy()/4+i/2*b.Dy()/2
		got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		far := func(a, b uint8) bool { return max(a, b)-min(a, b) > 40 }
		if far(got.A, w.A) || w.A > 0 && (far(got.R, w.R) || far(got.G, w.G) || far(got.B, w.B)) {
			t.Errorf("%s: quarter %d is %v, want %v", what, i, got, w)
		}
	}
}

func isSize(t *testing.T, what string, img image.Image, w, h int) {
	t.Helper()
	if img.Bounds().Dx() != w || img.Bounds().Dy() != h {
		t.Errorf("%s is %v, want %dx%d", what, img.Bounds(), w, h)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		shape picture.Shape
		wantW int
		wantH int
	}{
		{200, 200, square, 64, 64},
		{10, 10, square, 64, 64},
		{300, 200, square, 64, 64},
		{1, 300, square, 64, 64},
		{900, 600, square, 64, 64},
		{2000, 50, picture.Shape{Width: 800, Height: 100, Inside: true}, 800, 20},
		{400, 50, picture.Shape{Width: 800, Height: 100, Inside: true}, 400, 50},
		{800, 200, picture.Shape{Width: 800, Height: 100, Inside: true}, 400, 100},
		{5000, 1, picture.Shape{Width: 100, Height: 100, Inside: true}, 100, 1},
	} {
		img, made := makeOne(t, encoded(t, quarters(c.w, c.h, red, green, blue, none), png.Encode), c.shape)
		isSize(t, "picture", img, c.wantW, c.wantH)
		if made.Ext != "png" || made.Animated {
			t.Errorf("%+v", made)
		}
		if c.w > 1 && c.h > 1 && c.wantH > 10 {
			sees(t, "picture", img, red, green, blue, none)
		}
	}
	// Cropping is symmetric.
	img, _ := makeOne(t, encoded(t, quarters(400, 100, red, green, red, green), png.Encode), square)
	sees(t, "cut", img, red, green, red, green)
}

func TestFormats(t *testing.T) {
	four := quarters(100, 100, red, green, blue, white)
	asGIF := func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }
	for name, data := range map[string][]byte{"png": encoded(t, four, png.Encode), "jpeg": encoded(t, four, asJPEG),
		"gif": encoded(t, four, asGIF)} {
		img, made := makeOne(t, data, square)
		isSize(t, name, img, 64, 64)
		sees(t, name, img, red, green, blue, white)
		if made.Ext != "png" {
			t.Errorf("%s becomes %s", name, made.Ext)
		}
	}
	// A lossless WebP of one white pixel.
	webp := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	img, _ := makeOne(t, webp, square)
	isSize(t, "webp", img, 64, 64)
}

// oriented inserts EXIF data into a JPEG: an orientation and private information.
func oriented(t *testing.T, img image.Image, turn byte) []byte {
	t.Helper()
	data := encoded(t, img, asJPEG)
	const secret = "at 59.3N 18.0E, by Alice"
	tiff := []byte("II*\x00\x08\x00\x00\x00" + "\x02\x00" +
		"\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{turn}) + "\x00\x00\x00" +
		"\x3b\x01\x02\x00\x18\x00\x00\x00\x26\x00\x00\x00" + "\x00\x00\x00\x00" + secret)
	app1 := append([]byte("Exif\x00\x00"), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(app1)+2))
	return append(append(head, app1...), data[2:]...)
}

func TestOrientation(t *testing.T) {
	up := quarters(80, 40, red, green, blue, white)
	wide := picture.Shape{Width: 60, Height: 60, Inside: true}
	for turn, want := range map[byte][]color.NRGBA{
		0: {red, green, blue, white}, 1: {red, green, blue, white}, 2: {green, red, white, blue},
		3: {white, blue, green, red}, 4: {blue, white, red, green},
		5: {red, blue, green, white}, 6: {blue, red, white, green}, 7: {white, green, blue, red},
		8: {green, white, red, blue}, 9: {red, green, blue, white},
	} {
		data := oriented(t, up, turn)
		img, made := makeOne(t, data, wide)
		if turn >= 5 && turn <= 8 {
			isSize(t, "turned", img, 30, 60)
		} else {
			isSize(t, "upright", img, 60, 30)
		}
		sees(t, string('0'+rune(turn)), img, want...)
		if !bytes.Contains(data, []byte("Alice")) || bytes.Contains(made.Data, []byte("Alice")) ||
			bytes.Contains(made.Data, []byte("Exif")) {
			t.Error("the metadata of the photo is still there")
		}
	}
}

// moving returns a GIF whose frames use all disposal methods.
func moving(t *testing.T) []byte {
	t.Helper()
	palette := color.Palette{none, red, green, blue}
	frame := func(r image.Rectangle, index uint8) *image.Paletted {
		p := image.NewPaletted(r, palette)
		for i := range p.Pix {
			p.Pix[i] = index
		}
		return p
	}
	whole, left := image.Rect(0, 0, 40, 40), image.Rect(0, 0, 20, 40)
	g := gif.GIF{
		Image:    []*image.Paletted{frame(whole, 1), frame(left, 2), frame(left, 3), frame(image.Rect(20, 0, 40, 40), 3)},
		Delay:    []int{10, 0, 5, 7},
		Disposal: []byte{gif.DisposalNone, gif.DisposalPrevious, gif.DisposalBackground, gif.DisposalNone},
		Config:   image.Config{ColorModel: palette, Width: 40, Height: 40}, LoopCount: 3,
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnimation(t *testing.T) {
	data := append(moving(t), "<script>alert(1)</script>"...)
	out, err := images.New(images.Defaults()).Make(t.Context(), bytes.NewReader(data),
		picture.Shape{Width: 64, Height: 64, Animated: true}, square)
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Ext != "gif" || !out[0].Animated || out[1].Ext != "png" || out[1].Animated {
		t.Fatalf("%s %v, %s %v", out[0].Ext, out[0].Animated, out[1].Ext, out[1].Animated)
	}
	g, err := gif.DecodeAll(bytes.NewReader(out[0].Data))
	if err != nil || len(g.Image) != 4 || g.LoopCount != 3 || g.Delay[0] != 10 || g.Delay[1] != 2 || g.Delay[3] != 7 {
		t.Fatalf("%d frames, loops %d, delays %v; %v", len(g.Image), g.LoopCount, g.Delay, err)
	}
	for i, want := range [][]color.NRGBA{{red, red, red, red}, {green, red, green, red}, {blue, red, blue, red},
		{none, blue, none, blue}} {
		isSize(t, "frame", g.Image[i], 64, 64)
		sees(t, "frame", g.Image[i], want...)
	}
	if bytes.Contains(out[0].Data, []byte("script")) {
		t.Error("the data after the image is still there")
	}
	still, err := png.Decode(bytes.NewReader(out[1].Data))
	if err != nil {
		t.Fatal(err)
	}
	sees(t, "still", still, red, red, red, red)
	// A still GIF is not an animation.
	_, one := makeOne(t, encoded(t, quarters(9, 9, red, red, red, red),
		func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }),
		picture.Shape{Width: 64, Height: 64, Animated: true})
	if one.Animated || one.Ext != "png" {
		t.Errorf("%s, %v", one.Ext, one.Animated)
	}
}

// An animated photo keeps its colors as accurately as 255 colors allow.
func TestManyColours(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			img.Set(x, y, color.NRGBA{uint8(4 * x), uint8(4 * y), uint8(2 * (x + y)), 0xff})
		}
	}
	p := images.Paletted(img)
	if len(p.Palette) != 256 {
		t.Fatalf("%d colors", len(p.Palette))
	}
	var off int
	for i, index := range p.Pix {
		c := p.Palette[index].(color.NRGBA)
		for k, v := range []uint8{c.R, c.G, c.B} {
			off += max(int(v), int(img.Pix[4*i+k])) - min(int(v), int(img.Pix[4*i+k]))
		}
	}
	if mean := off / (3 * len(p.Pix)); mean > 8 {
		t.Errorf("colors are off by %d on average", mean)
	}
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func pngHead(w, h uint32, depth, kind byte) []byte {
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(ihdr, depth, kind, 0, 0, 0))...)
}

func TestRefused(t *testing.T) {
	whole := encoded(t, quarters(100, 100, red, green, blue, white), png.Encode)
	photo := encoded(t, quarters(100, 100, red, green, blue, white), asJPEG)
	film := moving(t)
	tall := bytes.Clone(film)
	binary.LittleEndian.PutUint16(tall[6:], 60000)
	binary.LittleEndian.PutUint16(tall[8:], 60000)
	frames := append(bytes.Clone(film[:len(film)-1]),
		bytes.Repeat([]byte("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"), 600)...)
	small := bytes.Clone(frames[:len(frames)-500*15])
	binary.LittleEndian.PutUint16(small[6:], 1000)
	binary.LittleEndian.PutUint16(small[8:], 1000)
	huge := append(bytes.Clone(film[:len(film)-1]),
		bytes.Repeat([]byte("\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x44\x01\x00"), 9)...)
	const bad, much = "Could not decode image; did you upload an image file?", "Image size exceeds limit."
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                          {nil, bad},
		"text":                           {[]byte("hello"), bad},
		"html":                           {[]byte("<html><script>alert(1)</script>"), bad},
		"svg":                            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`), bad},
		"a page with a GIF signature":    {[]byte("GIF89a/*<svg/onload=alert(1)>*/=1;"), much},
		"a script before a PNG":          {append([]byte("<?php ?>"), whole...), bad},
		"PNG cut short":                  {whole[:len(whole)/2], bad},
		"PNG, only its head":             {whole[:33], bad},
		"JPEG cut short":                 {photo[:len(photo)/2], bad},
		"GIF cut short":                  {film[:len(film)-20], bad},
		"no size":                        {append(pngHead(0, 10, 8, 6), chunk("IEND", nil)...), bad},
		"very wide":                      {append(pngHead(1<<30, 1, 8, 6), chunk("IEND", nil)...), much},
		"a bomb":                         {append(pngHead(50000, 50000, 8, 6), chunk("IDAT", make([]byte, 100))...), much},
		"a bomb of deep colors":          {append(pngHead(8000, 8000, 16, 6), chunk("IDAT", make([]byte, 100))...), much},
		"an immense GIF":                 {tall, much},
		"a GIF of many frames":           {append(frames, 0x3b), much},
		"small frames on a large canvas": {append(small, 0x3b), much},
		"a GIF of large frames":          {append(huge, 0x3b), much},
		"too many bytes":                 {append([]byte("GIF89a"), make([]byte, 32<<20)...), much},
		"WebP without a picture":         {[]byte("RIFF\x04\x00\x00\x00WEBP"), bad},
	} {
		out, err := images.New(images.Defaults()).Make(t.Context(), bytes.NewReader(c.data),
			picture.Shape{Width: 64, Height: 64, Animated: true})
		var e *errs.Error
		if !errors.As(err, &e) || e.Code != errs.BadImage || e.Msg != c.want || out != nil {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Images of a user are processed one after the other, but concurrently with those of other users.
func TestOneAtATimePerUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := images.New(images.Config{MaxMiB: 8, MaxFrames: 20, AtOnce: 1})
		data := encoded(t, quarters(9, 9, red, red, red, red), png.Encode)
		by := func(u user.ID) error {
			_, err := m.Make(ports.WithCaller(t.Context(), user.Actor{User: u}), bytes.NewReader(data), square)
			return err
		}
		done := m.Hold(t.Context(), 7)
		var made atomic.Bool
		go func() {
			if err := by(7); err != nil {
				t.Error(err)
			}
			made.Store(true)
		}()
		synctest.Wait()
		if err := by(8); err != nil || made.Load() {
			t.Errorf("another user: %v; a second image of the same user: %t", err, made.Load())
		}
		done()
		synctest.Wait()
		if !made.Load() {
			t.Error("the second image was not processed")
		}
	})
}

// Read errors are not reported as invalid images, and canceled requests end.
func TestReadErrors(t *testing.T) {
	torn := errors.New("torn")
	m := images.New(images.Defaults())
	if _, err := m.Make(t.Context(), io.MultiReader(strings.NewReader("\x89PNG"), iotest.ErrReader(torn)),
		square); !errors.Is(err, torn) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Make(ended, bytes.NewReader(encoded(t, quarters(9, 9, red, red, red, red), png.Encode)),
		square); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []images.Config{{0, 1, 1, 1e9}, {1, 0, 1, 1e9}, {1, 1, 0, 1e9}, {1 << 20, 1, 1, 1e9}, {1, 1, 1, 0}} {
		if c.Validate() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if err := images.Defaults().Validate(); err != nil {
		t.Error(err)
	}
}

func TestContract(t *testing.T) { imagetest.Contract(t, images.New(images.Defaults())) }
