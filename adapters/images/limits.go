package images

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"

	"github.com/bep/imagemeta"

	"github.com/stoachat/stoa/domain/picture"
)

// maxSide limits width and height in pixels, which prevents overflows.
const maxSide = 1 << 16

// maxPainted limits an animation's canvas in pixels times its number of frames, since every frame is scaled as a whole:
// 140 frames of 800 × 600 take about a second.
const maxPainted = 1 << 26

// checkCost refuses a picture that would take too much time or memory to decode. Errors: BadImage.
func (m *Maker) checkCost(f *format, data []byte) error {
	c, err := f.size(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 {
		return picture.Bad().Because(err)
	}
	if c.Width > maxSide || c.Height > maxSide {
		return picture.TooMuch()
	}
	budget := int64(m.cfg.MaxMiB) << 20
	if int64(c.Width)*int64(c.Height) > budget/f.bytesPerPixel(data, c) {
		return picture.TooMuch()
	}
	if f.name == "jpeg" {
		return checkScans(data)
	}
	if f.name != "gif" {
		return nil
	}
	frames, pixels, err := scanGIF(data)
	if err != nil {
		return picture.Bad().Because(err)
	}
	canvas := int64(c.Width) * int64(c.Height)
	if frames > m.cfg.MaxFrames || pixels > budget-canvas*gifPixelBytes(nil, c) || int64(frames)*canvas > maxPainted {
		return picture.TooMuch()
	}
	return nil
}

func pngPixelBytes(_ []byte, c image.Config) int64 {
	switch c.ColorModel {
	// grayscale becomes NRGBA64 if a tRNS chunk declares transparency
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model:
		return 12 // including the passes of interlaced images
	}
	return 6 // less with a palette
}

// jpegPixelBytes returns the memory per pixel. Progressive images keep all coefficients until the end.
func jpegPixelBytes(data []byte, c image.Config) int64 {
	switch {
	case progressive(data):
		return 24 // for four components
	case c.ColorModel == color.CMYKModel:
		return 8 // the planes are converted to pixels as well
	}
	return 4
}

// maxScans limits the scans of a JPEG; cameras and programs produce about ten. A scan of a few bytes can cover the
// whole image, so a megabyte of scans would take minutes to decode.
const maxScans = 100

// checkScans refuses a JPEG with too many scans. Errors: BadImage.
func checkScans(data []byte) error {
	if bytes.Count(data, []byte{0xff, 0xda}) > maxScans {
		return picture.TooMuch()
	}
	return nil
}

// progressive reports whether a JPEG has the marker of a progressive frame.
func progressive(data []byte) bool {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		switch data[at+1] {
		case 0xff: // padding
			at++
			continue
		case 0xc2:
			return true
		case 0xc0, 0xc1, 0xda:
			return false
		case 0x00, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7: // the decoder reads no length after these
			return true
		}
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
	}
	return true // unknown: assume the worst
}

// gifPixelBytes returns the memory for the canvas that frames are painted on, and for its previous state.
func gifPixelBytes([]byte, image.Config) int64 { return 8 }

// heifPixelBytes returns the memory for planes and pixels in the decoder, and for the copied pixels.
func heifPixelBytes([]byte, image.Config) int64 { return 24 }

func webpPixelBytes([]byte, image.Config) int64 { return 12 }

// malformedGIF returns the error for a malformed GIF.
func malformedGIF() error { return errors.New("malformed blocks") }

// scanGIF counts the frames and their pixels by walking the blocks, without decoding.
func scanGIF(data []byte) (frames int, pixels int64, err error) {
	return walkGIF(data, func(int, int) {})
}

// endOfFrames returns the offset at which a GIF can be cut after n frames.
func endOfFrames(data []byte, n int) int {
	end := len(data)
	_, _, _ = walkGIF(data, func(frame, at int) { // malformed files are not decoded
		if frame == n {
			end = at
		}
	})
	return end
}

// walkGIF calls after for each frame, with the offset of its end.
func walkGIF(data []byte, after func(frame, end int)) (frames int, pixels int64, err error) {
	at := 13
	if len(data) < at {
		return 0, 0, malformedGIF()
	}
	if packed := data[10]; packed&0x80 != 0 {
		at += 3 << (packed&7 + 1)
	}
	for at < len(data) {
		isFrame := data[at] == 0x2c
		switch data[at] {
		case 0x3b: // readers ignore whatever follows the trailer
			return frames, pixels, nil
		case 0x21: // read exactly as image/gif does, lest it decode what was not counted
			if at+2 >= len(data) {
				return 0, 0, malformedGIF()
			}
			switch n := data[at+2]; {
			case data[at+1] == 0xfe, data[at+1] == 0xf9 && n == 4, data[at+1] == 0x01 && n == 12, data[at+1] == 0xff && n > 0:
			default:
				return 0, 0, malformedGIF()
			}
			at += 2
		case 0x2c:
			if at+10 > len(data) {
				return 0, 0, malformedGIF()
			}
			frames++
			pixels += int64(binary.LittleEndian.Uint16(data[at+5:])) * int64(binary.LittleEndian.Uint16(data[at+7:]))
			packed := data[at+9]
			at += 10
			if packed&0x80 != 0 {
				at += 3 << (packed&7 + 1)
			}
			at++ // the minimum code size
		default:
			return 0, 0, malformedGIF()
		}
		for { // data sub-blocks
			if at >= len(data) {
				return 0, 0, malformedGIF()
			}
			n := int(data[at])
			at += 1 + n
			if n == 0 {
				break
			}
		}
		if isFrame {
			after(frames, at)
		}
	}
	return 0, 0, malformedGIF()
}

// orientation returns the EXIF orientation, from 1 to 8, or 1 without EXIF.
func orientation(name string, data []byte) int {
	kinds := map[string]imagemeta.ImageFormat{"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "webp": imagemeta.WebP,
		"tiff": imagemeta.TIFF}
	turn := 1
	_, _ = imagemeta.Decode(imagemeta.Options{ // unreadable metadata is ignored
		R: bytes.NewReader(data), ImageFormat: kinds[name], Sources: imagemeta.EXIF, LimitNumTags: 500, LimitTagSize: 64,
		Warnf:           func(string, ...any) {},
		ShouldHandleTag: func(t imagemeta.TagInfo) bool { return t.Tag == "Orientation" },
		HandleTag: func(t imagemeta.TagInfo) error {
			if n, ok := number(t.Value); ok && n >= 1 && n <= 8 {
				turn = n
			}
			return nil
		},
	})
	return turn
}

func number(v any) (int, bool) {
	switch n := v.(type) {
	case uint16:
		return int(n), true
	case uint32:
		return int(n), n <= 8
	case uint8:
		return int(n), true
	case int:
		return n, true
	}
	return 0, false
}
