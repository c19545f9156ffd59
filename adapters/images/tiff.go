package images

import (
	"bytes"
	"encoding/binary"

	"github.com/stoachat/stoa/domain/picture"
)

// TIFF fields with the sizes of strips and tiles in bytes (TIFF 6.0, sections 8 and 15).
const (
	stripByteCounts = 279
	tileByteCounts  = 325
)

// checkTIFFOverlap refuses a TIFF whose strips or tiles overlap so much that its bytes would be decoded many times,
// since each could cover the whole file. Only the first directory is decoded. Errors: BadImage.
func checkTIFFOverlap(data []byte) error {
	order := binary.ByteOrder(binary.LittleEndian)
	if bytes.HasPrefix(data, []byte("MM")) {
		order = binary.BigEndian
	}
	total := int64(len(data))
	u := func(off int64, size int64) int64 { // 0 beyond the end, where the decoder fails
		switch {
		case off < 0 || off+size > total:
			return 0
		case size == 2:
			return int64(order.Uint16(data[off:]))
		}
		return int64(order.Uint32(data[off:]))
	}
	var sum int64
	at := u(4, 4)
	for entry := at + 2; entry < at+2+12*u(at, 2); entry += 12 {
		if tag := u(entry, 2); tag != stripByteCounts && tag != tileByteCounts {
			continue
		}
		size := int64(4)
		if u(entry+2, 2) == 3 { // short
			size = 2
		}
		n, from := u(entry+4, 4), entry+8
		if n*size > 4 {
			from = u(entry+8, 4)
		}
		for i := int64(0); i < n && from+i*size < total; i++ {
			if sum += u(from+i*size, size); sum > 2*total {
				return picture.TooMuch()
			}
		}
	}
	return nil
}
