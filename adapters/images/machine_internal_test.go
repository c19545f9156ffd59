package images

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

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

// endless is a module with two functions: loop never ends, and recurse calls itself twice, without loops, until the
// depth given by its parameter.
var endless = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x08\x02\x60\x00\x00\x60\x01\x7f\x00" + // types () and (i32)
	"\x03\x03\x02\x00\x01" +
	"\x05\x03\x01\x00\x01" + // a page of memory
	"\x06\x06\x01\x7f\x00\x41\x00\x0b" +
	"\x07\x12\x02\x04loop\x00\x00\x07recurse\x00\x01" +
	"\x0a\x2b\x02" +
	"\x07\x00\x03\x40\x0c\x00\x0b\x0b" +
	"\x21\x00\x20\x00\x04\x40\x20\x00\x41\x01\x6b\x10\x01\x20\x00\x41\x01\x6b\x10\x01\x0b" +
	"\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x1a\x0b") // i64.const with ten bytes

func TestInterruptible(t *testing.T) {
	code, err := interruptible(endless)
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntime(t.Context())
	for _, f := range []string{"loop", "recurse"} {
		mod, err := r.InstantiateWithConfig(t.Context(), code, wazero.NewModuleConfig().WithName(f))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		var args []uint64
		if f == "recurse" {
			args = []uint64{1000}
		}
		go func() {
			_, err := mod.ExportedFunction(f).Call(t.Context(), args...)
			ended <- err
		}()
		mod.ExportedGlobal(stopVariable).(api.MutableGlobal).Set(1)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Errorf("%s: %v", f, err)
		}
	}
	for n := range endless {
		if code, err := interruptible(endless[:n]); err == nil || !errors.Is(err, errModule) {
			t.Errorf("%d bytes: %x, %v", n, code, err)
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
