package images_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/images/imagetest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

// Decoding an image leaks no memory.
func TestPreviewsFreeMemory(t *testing.T) {
	m := images.New(images.Defaults())
	data := imagetest.HEIC(t, 2, 1, 640, 480, 3)
	held := func() int64 {
		if _, err := m.Preview(t.Context(), bytes.NewReader(data), still); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC() // the second run empties pools
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	before := held()
	for range 4 {
		held()
	}
	if grown := held() - before; grown > 4<<20 {
		t.Errorf("five previews keep %d KiB", grown>>10)
	}
}

// An image that is larger than its container declares is refused.
func TestHEICLargerThanDeclared(t *testing.T) {
	data := imagetest.HEIC(t, 2, 1, 640, 480, 3)
	for at := 0; ; at += 4 {
		next := bytes.Index(data[at:], []byte("ispe"))
		if next < 0 {
			break
		}
		at += next
		binary.BigEndian.PutUint32(data[at+8:], 16)
		binary.BigEndian.PutUint32(data[at+12:], 16)
	}
	m := images.New(images.Defaults())
	if h, err := m.Probe(t.Context(), bytes.NewReader(data)); err != nil || h.Width != 16 {
		t.Fatal(h, err)
	}
	if _, err := m.Preview(t.Context(), bytes.NewReader(data), still); !errs.Is(err, errs.BadImage) {
		t.Error(err)
	}
}

// Decoding that takes too long is stopped. Until then it does not block the rest of the server: the garbage collector
// can run.
func TestBomb(t *testing.T) {
	c := images.Defaults()
	c.Timeout = 2 * time.Second
	m, bomb := images.New(c), imagetest.Bomb(t)
	ended := make(chan error)
	go func() {
		_, err := m.Preview(t.Context(), bytes.NewReader(bomb), still)
		ended <- err
	}()
	collected := 0
	for {
		select {
		case err := <-ended:
			if !errs.Is(err, errs.BadImage) {
				t.Error(err)
			}
			if collected < 5 {
				t.Errorf("garbage was collected %d times", collected)
			}
			return
		default:
			runtime.GC()
			collected++
		}
	}
}

// A JPEG with too many scans is refused.
func TestManyScans(t *testing.T) {
	once := encoded(t, quarters(64, 64, red, green, blue, white), asJPEG)
	at := bytes.Index(once, []byte{0xff, 0xda})
	scan := once[at : len(once)-2]
	m := images.New(images.Defaults())
	for scans, ok := range map[int]bool{1: true, 20: true, 500: false} {
		data := append(append(bytes.Clone(once[:at]), bytes.Repeat(scan, scans)...), 0xff, 0xd9)
		_, probed := m.Probe(t.Context(), bytes.NewReader(data))
		_, previewed := m.Preview(t.Context(), bytes.NewReader(data), still)
		_, made := m.Make(t.Context(), bytes.NewReader(data), picture.Shape{Width: 32, Height: 32})
		for _, err := range []error{probed, previewed, made} {
			if ok != (err == nil) || !ok && !errs.Is(err, errs.BadImage) {
				t.Errorf("%d scans: %v", scans, err)
			}
		}
	}
}

// stripped returns a grayscale TIFF that is one pixel wide. All its strips have one row and share the same bytes, which
// more bytes follow.
func stripped(rows, more int) []byte {
	le := binary.LittleEndian
	b := append([]byte("II*\x00\x00\x00\x00\x00\x07"), make([]byte, 3+more)...) // the strip is one byte
	offsets := len(b)
	for range rows {
		b = le.AppendUint32(b, 8)
	}
	counts := len(b)
	for range rows {
		b = le.AppendUint32(b, uint32(1+more))
	}
	le.PutUint32(b[4:], uint32(len(b)))
	fields := [][4]int{
		{256, 3, 1, 1}, {257, 3, 1, rows}, {258, 3, 1, 8}, {259, 3, 1, 32773}, {262, 3, 1, 1},
		{273, 4, rows, offsets}, {278, 3, 1, 1}, {279, 4, rows, counts},
	}
	b = le.AppendUint16(b, uint16(len(fields)))
	for _, f := range fields {
		b = le.AppendUint16(b, uint16(f[0]))
		b = le.AppendUint16(b, uint16(f[1]))
		b = le.AppendUint32(le.AppendUint32(b, uint32(f[2])), uint32(f[3]))
	}
	return le.AppendUint32(b, 0)
}

// The bytes of a TIFF are not decoded again for each row.
func TestOverlappingStrips(t *testing.T) {
	m := images.New(images.Defaults())
	if h, err := m.Probe(t.Context(), bytes.NewReader(stripped(100, 0))); err != nil || h.Height != 100 {
		t.Errorf("%+v, %v", h, err)
	}
	data := stripped(1000, 1<<20)
	if _, err := m.Probe(t.Context(), bytes.NewReader(data)); !errs.Is(err, errs.BadImage) {
		t.Error(err)
	}
	if _, err := m.Preview(t.Context(), bytes.NewReader(data), still); !errs.Is(err, errs.BadImage) {
		t.Error(err)
	}
}
