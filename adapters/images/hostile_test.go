package images_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/picture"
)

// What decoding an image has taken is given back.
func TestPreviewsGiveMemoryBack(t *testing.T) {
	m := images.New(images.Defaults())
	data := library(t, "github.com/gen2brain/heic", "testdata/test_exif.heic")
	held := func() int64 {
		if _, err := m.Preview(t.Context(), bytes.NewReader(data), still); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC() // pools are emptied by the second one
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc) //nolint:gosec // far below 63 bits
	}
	before := held()
	for range 4 {
		held()
	}
	if grown := held() - before; grown > 4<<20 {
		t.Errorf("five previews hold %d KiB", grown>>10)
	}
}

// An image that is larger than its container says is no image.
func TestPreviewOfLyingHEIC(t *testing.T) {
	data := bytes.Clone(library(t, "github.com/gen2brain/heic", "testdata/test_exif.heic"))
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

// A JPEG is not decoded again and again because it says so.
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
