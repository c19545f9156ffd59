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

// Bomb returns a HEIC file of 42 kB with 500 tiles that have the same data. The decoder decodes each, which takes a
// minute or more.
func Bomb(t testing.TB) []byte {
	t.Helper()
	return HEIC(t, 25, 20, 512, 512, 0)
}

// HEIC returns a HEIC file of w × h pixels, cut from columns × rows tiles of 512 × 512 pixels. It is to be rotated
// counterclockwise by the given number of quarter turns. All tiles have the same data.
func HEIC(t testing.TB, columns, rows, w, h, turns int) []byte {
	t.Helper()
	const side = 512
	tile := Library(t, "github.com/gen2brain/heic", "testdata/test8.heic")
	coded := tile[0x1f2 : 0x1f2+0x4ce1] // as its box iloc declares
	n := columns * rows                 // the tiles are items 1 to n, the image is the next one
	whole := u32(0)                     // version and flags
	var names, refs, places, properties []byte
	for id := 1; id <= n; id++ {
		names = append(names, box("infe", u32(2<<24), u16(id, 0), []byte("hvc1\x00"))...)
		refs = append(refs, u16(id)...)
		properties = append(properties, append(u16(id), 2, 0x81, 2)...)
	}
	names = append(names, box("infe", u32(2<<24), u16(n+1, 0), []byte("grid\x00"))...)
	properties = append(properties, append(u16(n+1), 2, 3, 0x84)...)
	meta := func(at int) []byte {
		places = places[:0]
		for id := 1; id <= n; id++ {
			places = append(places, slices.Concat(u16(id, 0, 0, 1), u32(at, len(coded)))...) // in the file
		}
		places = append(places, slices.Concat(u16(n+1, 1, 0, 1), u32(0, 12))...) // in the box idat
		return box("meta", whole,
			box("hdlr", u32(0, 0), []byte("pict"), u32(0, 0, 0), []byte{0}),
			box("pitm", whole, u16(n+1)),
			box("iinf", whole, u16(n+1), names),
			box("iref", whole, box("dimg", u16(n+1, n), refs)),
			box("iprp",
				box("ipco", find(tile, "hvcC"), box("ispe", u32(0, side, side)), box("ispe", u32(0, w, h)),
					box("irot", []byte{byte(turns)})),
				box("ipma", u32(0, n+1), properties)),
			box("iloc", u32(1<<24), []byte{0x44, 0}, u16(n+1), places),
			box("idat", []byte{0, 1, byte(rows - 1), byte(columns - 1)}, u32(w, h)),
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
