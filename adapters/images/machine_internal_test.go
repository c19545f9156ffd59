package images

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/images/imagetest"
)

// The functions of both decoders stop when their context ends.
func TestDecodersStop(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for file, decode := range map[string]func(context.Context, []byte) error{
		"heic testdata/test8.heic": func(ctx context.Context, data []byte) error {
			_, err := decodeHEIC(heicMachines)(ctx, data, maxStill)
			return err
		},
		"avif testdata/test8.avif": func(ctx context.Context, data []byte) error {
			_, err := decodeAVIF(avifMachines)(ctx, data, maxStill)
			return err
		},
	} {
		module, name, _ := strings.Cut(file, " ")
		data := imagetest.Library(t, "github.com/gen2brain/"+module, name)
		if err := decode(t.Context(), data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := decode(ended, data); err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Errorf("%s without time: %v", file, err)
		}
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
