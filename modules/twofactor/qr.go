package twofactor

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// picture is a QR code: the path of an SVG image with a side of Size, which includes the quiet zone.
type picture struct {
	Size int    `json:"size" doc:"The side of the image, with its margin."`
	Path string `json:"path" doc:"The path of an SVG image."`
}

// quiet is the width of the margin that scanners need, in modules; see ISO/IEC 18004.
const quiet = 4

// draw returns the QR code of a text.
func draw(text string) (picture, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return picture{}, err
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			begin := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > begin {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", begin+quiet, y+quiet, x-begin, x-begin)
			}
		}
	}
	return picture{code.Size + 2*quiet, path.String()}, nil
}
