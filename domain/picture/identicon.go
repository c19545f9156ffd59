package picture

import (
	"bytes"
	"crypto/sha256"
	"image"
	"image/color"
	"image/png"
	"path"
	"strings"
)

// Sizes of avatars, in pixels per side.
const (
	AvatarSide       = 100
	MediumAvatarSide = 500
)

// medium is the name suffix of the larger picture.
const medium = "-medium"

// Avatar returns the shapes of an avatar.
func Avatar() []Shape {
	return []Shape{{Width: AvatarSide, Height: AvatarSide},
		{Width: MediumAvatarSide, Height: MediumAvatarSide, Suffix: medium}}
}

// Medium returns the address of an avatar's larger picture.
func Medium(address string) string {
	ext := path.Ext(address)
	return strings.TrimSuffix(address, ext) + medium + ext
}

// Generated returns the address of a generated picture, from which the seed can't be recovered.
func Generated(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	const digits = "0123456789abcdef"
	name := make([]byte, 0, 32)
	for _, b := range sum[:16] {
		name = append(name, digits[b>>4], digits[b&15])
	}
	return generatedAt + string(name) + ".png"
}

const generatedAt = "/user_avatars/generated/"

// Draw draws the picture at an address returned by Generated or Medium; ok is false for other addresses.
func Draw(address string) ([]byte, bool) {
	name, ours := strings.CutPrefix(address, generatedAt)
	name, isPNG := strings.CutSuffix(name, ".png")
	side := AvatarSide
	if short, larger := strings.CutSuffix(name, medium); larger {
		name, side = short, MediumAvatarSide
	}
	if !ours || !isPNG || len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" {
		return nil, false
	}
	return identicon(sha256.Sum256([]byte(name)), side), true
}

// identicon draws five by five squares, symmetric about the vertical axis.
func identicon(seed [32]byte, side int) []byte {
	// medium tones, visible on light and dark pages
	tone := color.NRGBA{64 + seed[0]%128, 64 + seed[1]%128, 64 + seed[2]%128, 0xff}
	img := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.NRGBA{0xf0, 0xf0, 0xf0, 0xff}, tone})
	const squares, border = 5, 10 // squares per side; the border is a tenth of the side
	edge, cell := side/border, side*(border-2)/border/squares
	for y := range squares {
		for x := range squares {
			if seed[3+y*3+min(x, squares-1-x)]&1 == 0 {
				continue
			}
			for py := range cell {
				for px := range cell {
					img.SetColorIndex(edge+x*cell+px, edge+y*cell+py, 1)
				}
			}
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // encoding a valid image to memory can't fail
	return b.Bytes()
}
