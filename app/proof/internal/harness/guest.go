package harness

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// InstallGuest installs a module, which the module wasm runs, in a realm. Whenever it is called, it asks the server for
// an act, in JSON, and replies with {}.
func InstallGuest(s *kittest.Server, r realm.ID, manifest, act string) {
	s.T.Helper()
	must := func(err error) {
		s.T.Helper()
		if err != nil {
			s.T.Fatal(err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{{"manifest.json", manifest}, {"module.wasm", asking(act)}} {
		w, err := z.Create(f[0])
		must(err)
		_, err = io.WriteString(w, f[1])
		must(err)
	}
	must(z.Close())
	install, ok := s.Ports.Collected.Command("module install")
	if !ok {
		s.T.Fatal("there is no command module install")
	}
	flags, err := json.Marshal(map[string]any{"Bytes": b.Bytes()})
	must(err)
	must(install.Run(s.T.Context(), kit.Actor{Realm: r, System: true}, flags, io.Discard))
}

// asking returns code for WebAssembly that does so. See "The interface" in modules/wasm/README.md.
func asking(act string) string {
	number := func(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }
	constant := func(n int) string { // LEB128, signed
		text := "\x41"
		for ; n > 63; n >>= 7 {
			text += string([]byte{byte(n)&0x7f | 0x80})
		}
		return text + string([]byte{byte(n)})
	}
	section := func(id, body string) string { return id + number(len(body)) + body }
	name := func(s string) string { return number(len(s)) + s }
	data := "{}" + act
	body := "\x00" + constant(2) + constant(len(act)) + "\x10\x01\x1a" + constant(0) + constant(2) + "\x10\x00\x0b"
	return "\x00asm\x01\x00\x00\x00" +
		section("\x01", "\x03\x60\x01\x7f\x00\x60\x02\x7f\x7f\x00\x60\x02\x7f\x7f\x01\x7f") + // types
		section("\x02", "\x02"+name("stoa_1")+name("write")+"\x00\x01"+name("stoa_1")+name("call")+"\x00\x02") +
		section("\x03", "\x01\x00") + // one function
		section("\x05", "\x01\x00\x01") + // a page of memory
		section("\x06", "\x01\x7f\x00\x41\x00\x0b") + // a variable
		section("\x07", "\x02"+name("memory")+"\x02\x00"+name("stoa_1")+"\x00\x02") +
		section("\x0a", "\x01"+number(len(body))+body) +
		section("\x0b", "\x01\x00\x41\x00\x0b"+name(data))
}
