package emoji

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/emoji"
)

// extraPicture draws the image of the built-in extra emoji: a temple front on a blue disc.
var extraPicture = sync.OnceValues(func() ([]byte, error) {
	const side, fine = 64, 4 // fine*fine samples per pixel
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			var disc, white int
			for i := range fine * fine {
				u := (float64(x) + (float64(i%fine)+0.5)/fine) / side
				v := (float64(y) + (float64(i/fine)+0.5)/fine) / side
				if (u-0.5)*(u-0.5)+(v-0.5)*(v-0.5) > 0.25 {
					continue
				}
				disc++
				if temple(u, v) {
					white++
				}
			}
			if disc == 0 {
				continue
			}
			// #nosec G115 -- at most 255
			mix := func(blue, full int) uint8 { return uint8((blue*(disc-white) + full*white) / disc) }
			img.SetNRGBA(x, y, color.NRGBA{
				R: mix(0x2f, 0xff), G: mix(0x6d, 0xff), B: mix(0x9e, 0xff),
				A: uint8(disc * 255 / (fine * fine)), // #nosec G115 -- at most 255
			})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
})

// temple reports whether a point of the unit square is on the gable, a column or the steps.
func temple(u, v float64) bool {
	off := max(u-0.5, 0.5-u)
	switch {
	case v >= 0.2 && v < 0.4:
		return off <= (v-0.2)*1.6
	case v >= 0.44 && v < 0.7:
		return off < 0.05 || off > 0.19 && off < 0.29
	case v >= 0.73 && v < 0.8:
		return off <= 0.34
	}
	return false
}

// serveExtra serves the image of the built-in extra emoji.
func serveExtra(w http.ResponseWriter, r *http.Request) {
	if strings.TrimPrefix(r.URL.Path, emoji.ExtraPrefix) != emoji.Extra+".png" {
		http.NotFound(w, r)
		return
	}
	picture, err := extraPicture()
	if err != nil {
		http.Error(w, "picture not available", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(picture)))
	h.Set("Cache-Control", "public, max-age=86400")
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(picture) // the client may have disconnected
}
