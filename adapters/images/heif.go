package images

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
)

func isAVIF(data []byte) bool { return hasBrand(data, "avif", "avis") }

func isHEIC(data []byte) bool {
	return hasBrand(data, "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1") && !isAVIF(data)
}

// hasBrand reports whether a file in the ISO base media format declares one of the given brands.
func hasBrand(data []byte, brands ...string) bool {
	if len(data) < 16 || string(data[4:8]) != "ftyp" {
		return false
	}
	size := min(int(binary.BigEndian.Uint32(data)), len(data), 256)
	for at := 8; at+4 <= size; at += 4 {
		if at == 12 { // the minor version
			continue
		}
		for _, b := range brands {
			if string(data[at:at+4]) == b {
				return true
			}
		}
	}
	return false
}

// heifHeader holds properties of an image in the ISO base media format (ISO/IEC 23008-12).
type heifHeader struct {
	width, height int // of the largest image, before rotation
	rotation      int // counterclockwise quarter turns
}

// readHEIF reads the properties of a file's largest image, which is the one displayed. The others are its tiles or
// thumbnails.
func readHEIF(data []byte) (h heifHeader, err error) {
	meta, ok := child(data, "meta")
	if !ok || len(meta) < 4 {
		return h, errors.New("no box meta")
	}
	if iref, ok := child(meta[4:], "iref"); ok && len(iref) >= 4 && tiles(iref) > maxTiles {
		return h, errors.New("too many tiles")
	}
	iprp, _ := child(meta[4:], "iprp")
	ipco, ok := child(iprp, "ipco")
	if !ok {
		return h, errors.New("no box ipco")
	}
	boxes(ipco, func(kind string, body []byte) bool {
		switch {
		case kind == "ispe" && len(body) >= 12:
			w, hh := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
			if w > maxSide || hh > maxSide {
				h.width, h.height = maxSide+1, maxSide+1
				return false
			}
			if int(w)*int(hh) > h.width*h.height {
				h.width, h.height = int(w), int(hh)
			}
		case kind == "irot" && len(body) >= 1:
			h.rotation = int(body[0] & 3)
		}
		return true
	})
	return h, nil
}

// maxTiles limits the tiles of an image. Each reference to a tile is decoded, even if all refer to the same one.
const maxTiles = 512

// tiles counts the tiles that derived images refer to.
func tiles(iref []byte) int {
	from := 2 // bytes of an item ID
	if iref[0] != 0 {
		from = 4
	}
	n := 0
	boxes(iref[4:], func(kind string, body []byte) bool {
		if kind == "dimg" && len(body) >= from+2 {
			n += int(binary.BigEndian.Uint16(body[from:]))
		}
		return true
	})
	return n
}

// child returns the body of the first box of the given type.
func child(data []byte, want string) (body []byte, ok bool) {
	boxes(data, func(kind string, b []byte) bool {
		if kind == want {
			body, ok = b, true
		}
		return !ok
	})
	return body, ok
}

// boxes calls fn for each box until fn returns false.
func boxes(data []byte, fn func(kind string, body []byte) bool) {
	for len(data) >= 8 {
		size, header := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		switch {
		case size == 0:
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			size, header = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < header || size > uint64(len(data)) || !fn(string(data[4:8]), data[header:size]) {
			return
		}
		data = data[size:]
	}
}

func sizeHEIF(r io.Reader) (image.Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return image.Config{}, err
	}
	h, err := readHEIF(data)
	return image.Config{ColorModel: color.RGBAModel, Width: h.width, Height: h.height}, err
}

// The decoders' WebAssembly modules, compiled on first use.
var (
	avifMachines = newMachines(func() []byte { return avifWasm })
	heicMachines = newMachines(func() []byte { return heicWasm })
)

// decodeHEIF returns a decoder that refuses images larger than their header declares.
func decodeHEIF(with func(ctx context.Context, data []byte, maxPixels int) (image.Image, error)) decoder {
	return func(ctx context.Context, data []byte) (image.Image, error) {
		h, err := readHEIF(data)
		if err != nil {
			return nil, err
		}
		return with(ctx, data, h.width*h.height)
	}
}

// heifOrientation returns the EXIF orientation to apply. The HEIC decoder applies it itself, the AVIF decoder does not.
func heifOrientation(data []byte) int {
	h, err := readHEIF(data)
	if err != nil {
		return 1
	}
	return [4]int{1, 8, 3, 6}[h.rotation]
}
