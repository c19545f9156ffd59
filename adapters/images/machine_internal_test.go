package images

import (
	"context"
	"errors"
	"image"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// Callers never wait for a decoder beyond their context, and only one decoder runs at a time, whatever its result.
func TestMachineThatGoesOn(t *testing.T) {
	m := newMachines(nil)
	m.patience = time.Millisecond
	goesOn, end := make(chan struct{}), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-goesOn; stop() }()
	_, err := m.run(ctx, func() (image.Image, error) { close(goesOn); <-end; return nil, nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.run(t.Context(), func() (image.Image, error) { return nil, nil }); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	close(end)
	m.busy <- struct{}{} // it has ended
	<-m.busy
	if _, err := m.run(t.Context(), func() (image.Image, error) { panic("no") }); err == nil {
		t.Error("no error")
	}
	want := image.NewGray(image.Rect(0, 0, 1, 1))
	if got, err := m.run(t.Context(), func() (image.Image, error) { return want, nil }); got != want || err != nil {
		t.Error(got, err)
	}
}

// A tile that is referenced a thousand times is not decoded a thousand times.
func TestManyTiles(t *testing.T) {
	box := func(kind string, body string) string {
		n := len(body) + 8
		return string([]byte{0, 0, byte(n >> 8), byte(n)}) + kind + body
	}
	refs := func(n string) []byte {
		iref := box("iref", "\x00\x00\x00\x00"+box("dimg", "\x00\x01"+n))
		iprp := box("iprp", box("ipco", box("ispe", "\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x10")))
		return []byte(box("ftyp", "heic\x00\x00\x00\x00") + box("meta", "\x00\x00\x00\x00"+iref+iprp))
	}
	if h, err := readHEIF(refs("\x00\x30")); err != nil || h.width != 16 {
		t.Error(h, err)
	}
	if _, err := readHEIF(refs("\x04\x00")); err == nil {
		t.Error("1024 tiles")
	}
}
