package wasmcode_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/stoachat/stoa/domain/wasmcode"
)

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
	code, err := wasmcode.Interruptible(endless)
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
		mod.ExportedGlobal(wasmcode.StopVariable).(api.MutableGlobal).Set(1)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Errorf("%s: %v", f, err)
		}
	}
	const variables = "\x06\x06\x01\x7f\x00\x41\x00\x0b"
	if code, err = wasmcode.Interruptible([]byte(strings.Replace(string(endless), variables, "", 1))); err != nil {
		t.Errorf("without variables of its own: %v", err)
	} else if _, err := r.CompileModule(t.Context(), code); err != nil {
		t.Errorf("without variables of its own: %v", err)
	}
	for n := range endless {
		if code, err := wasmcode.Interruptible(endless[:n]); err == nil || !errors.Is(err, wasmcode.ErrModule) {
			t.Errorf("%d bytes: %x, %v", n, code, err)
		}
	}
}

// TestHostile checks that modules which could avoid the check, or allocate before it, are refused.
func TestHostile(t *testing.T) {
	module := func(table, code string) []byte {
		body := "\x00" + code + "\x0b"
		return slices.Concat([]byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00"), []byte(table),
			[]byte("\x05\x03\x01\x00\x01\x06\x06\x01\x7f\x01\x41\x00\x0b\x07\x05\x01\x01f\x00\x00\x0a"),
			[]byte{byte(len(body) + 2), 1, byte(len(body))}, []byte(body))
	}
	if _, err := wasmcode.Interruptible(module("", "\x41\x00\x24\x00")); err != nil {
		t.Error(err)
	}
	for name, m := range map[string][]byte{
		"sets the counter":     module("", "\x41\x00\x24\x01"),
		"clears the stop":      module("", "\x41\x00\x24\x02"),
		"huge table":           module("\x04\x07\x01\x70\x00\xff\xff\xff\x0f", ""),
		"growing table":        module("\x04\x04\x01\x70\x00\x01", "\xd0\x70\x41\x01\xfc\x0f\x00\x1a"),
		"two sections of code": append(module("", ""), "\x0a\x04\x01\x02\x00\x0b"...),
		"unknown instruction":  module("", "\x12\x00"),
	} {
		if _, err := wasmcode.Interruptible(m); !errors.Is(err, wasmcode.ErrModule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
