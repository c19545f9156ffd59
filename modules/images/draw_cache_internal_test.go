package images

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/picture"
)

// An image that is requested repeatedly is drawn once, and the cache is bounded.
func TestDrawCache(t *testing.T) {
	draws := map[string]int{}
	d := newDrawCache(func(address string) ([]byte, bool) {
		draws[address]++
		return []byte(address), strings.HasPrefix(address, "x")
	})
	d.half = 100
	for i := range 200 {
		for _, address := range []string{"x", fmt.Sprintf("x%03d", i)} {
			if data, ok := d.get(address); !ok || string(data) != address {
				t.Fatalf("%s: %q %v", address, data, ok)
			}
		}
		kept := 0
		for _, half := range []map[string][]byte{d.newer, d.older} {
			for address, data := range half {
				kept += len(address) + len(data)
			}
		}
		if kept > 200 {
			t.Fatalf("the cache has %d bytes", kept)
		}
	}
	if draws["x"] != 1 || draws["x199"] != 1 {
		t.Errorf("drawn %d times", draws["x"])
	}
	if _, ok := d.get("x000"); !ok || draws["x000"] != 2 {
		t.Errorf("the oldest was drawn %d times", draws["x000"])
	}
	for range 2 {
		if _, ok := d.get("y"); ok {
			t.Error("an invalid seed has an image")
		}
	}
	if draws["y"] != 2 || d.newer["y"] != nil || d.older["y"] != nil {
		t.Error("an invalid image was cached")
	}
}

// A cached image equals the drawn one.
func TestCachedImage(t *testing.T) {
	d := newDrawCache(picture.Draw)
	address := picture.Medium(picture.Generated("x"))
	want, _ := picture.Draw(address)
	for range 2 {
		if got, ok := d.get(address); !ok || string(got) != string(want) {
			t.Error("another picture")
		}
	}
}
