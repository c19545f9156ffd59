package images

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"testing"
)

// The frame scan and the decoder must agree on where a GIF ends. Otherwise frames after an extension that they parse
// differently would not be counted.
func TestFramesAfterOddExtensions(t *testing.T) {
	var b bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White})
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}}); err != nil {
		t.Fatal(err)
	}
	honest := b.Bytes()
	if n, _, err := scanGIF(honest); n != 1 || err != nil {
		t.Fatalf("a valid image has %d frames: %v", n, err)
	}
	body := honest[:len(honest)-1]
	for _, odd := range [][]byte{{0x21, 0xff, 0x00, 0x3b}, {0x21, 0x01, 0x00, 0x3b}, {0x21, 0xf9, 0x00, 0x3b},
		{0x21, 0x77, 0x00, 0x3b}} {
		data := append(append(append([]byte{}, body...), odd...), make([]byte, 60)...)
		data = append(data, 0x3b)
		if n, _, err := scanGIF(data); err == nil {
			t.Errorf("% x: %d frames and no error", odd, n)
		}
	}
}
