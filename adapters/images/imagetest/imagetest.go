// Package imagetest makes images for tests.
package imagetest

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Library returns a file from the source code of a dependency.
func Library(t testing.TB, module, file string) []byte {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module) //nolint:gosec // of a test
	dir, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), file)) //nolint:gosec // of a test
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Bomb returns a HEIC file of 21 kB that refers 500 times to the same tile of 512 × 512 pixels. The decoder decodes
// the tile for every reference, which takes a minute or more.
func Bomb(t testing.TB) []byte {
	t.Helper()
	const side, rows, columns = 512, 20, 25
	const n = rows * columns
	tile := Library(t, "github.com/gen2brain/heic", "testdata/test8.heic")
	refs := u16(2, n)
	for range n {
		refs = append(refs, u16(1)...)
	}
	coded := tile[0x1f2 : 0x1f2+0x4ce1] // as its box iloc declares
	whole := u32(0)                     // version and flags
	meta := func(at int) []byte {
		return box("meta", whole,
			box("hdlr", u32(0, 0), []byte("pict"), u32(0, 0, 0), []byte{0}),
			box("pitm", whole, u16(2)),
			box("iinf", whole, u16(2),
				box("infe", u32(2<<24), u16(1, 0), []byte("hvc1\x00")), box("infe", u32(2<<24), u16(2, 0), []byte("grid\x00"))),
			box("iref", whole, box("dimg", refs)),
			box("iprp",
				box("ipco", find(tile, "hvcC"), box("ispe", u32(0, side, side))),
				box("ipma", u32(0, 2), u16(1), []byte{2, 0x81, 2}, u16(2), []byte{1, 2})),
			box("iloc", u32(1<<24), []byte{0x44, 0}, u16(2),
				u16(1, 0, 0, 1), u32(at, len(coded)), // in the file
				u16(2, 1, 0, 1), u32(0, 12)), // in the box idat
			box("idat", []byte{0, 1, rows - 1, columns - 1}, u32(side, side)),
		)
	}
	head := box("ftyp", []byte("heic"), u32(0), []byte("mif1heic"))
	at := len(head) + len(meta(0)) + 8
	return slices.Concat(head, meta(at), box("mdat", coded))
}

// box returns a box of the ISO base media format.
func box(kind string, body ...[]byte) []byte {
	all := slices.Concat(body...)
	return slices.Concat(u32(len(all)+8), []byte(kind), all)
}

// find returns the first box of the given type, with its header.
func find(data []byte, kind string) []byte {
	at := bytes.Index(data, []byte(kind)) - 4
	return data[at : at+int(binary.BigEndian.Uint32(data[at:]))]
}

func u16(n ...int) (b []byte) {
	for _, v := range n {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func u32(n ...int) (b []byte) {
	for _, v := range n {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return b
}
