package images

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"
	_ "unsafe" // for go:linkname

	_ "github.com/gen2brain/avif" // contains the decoder
	_ "github.com/gen2brain/heic" // contains the decoder
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/stoachat/stoa/domain/wasmcode"
)

// AVIF is decoded by libavif and HEIC by libheif, both compiled to WebAssembly, which confines the effects of a
// malicious upload to a virtual machine. Each image gets its own machine with limited memory, which is closed with the
// image or when its context ends. The Go libraries that embed the decoders do none of this: an image larger than its
// container declares takes gigabytes, and crafted ones take minutes. Therefore only their embedded modules are used.
//
// Package heic stays at v0.4: later versions contain a decoder under the GNU Affero General Public License.

//go:linkname avifWasm github.com/gen2brain/avif.avifWasm
var avifWasm []byte

//go:linkname heicWasm github.com/gen2brain/heic.heifWasm
var heicWasm []byte

// machineMiB is the memory limit of a machine.
const machineMiB = previewMiB

const perPage = 64 << 10 // bytes

// machines creates the machines of one decoder.
type machines struct {
	packed  func() []byte // the module, gzip-compressed
	once    sync.Once
	runtime wazero.Runtime
	module  wazero.CompiledModule
	err     error
}

func newMachines(packed func() []byte) *machines { return &machines{packed: packed} }

func (m *machines) compile() {
	ctx := context.Background() // shared by all images
	unpacked, err := gzip.NewReader(bytes.NewReader(m.packed()))
	if err != nil {
		m.err = err
		return
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		m.err = err
		return
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(machineMiB<<20/perPage).
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	if code, m.err = wasmcode.Interruptible(code); m.err != nil {
		return
	}
	if _, m.err = wasi_snapshot_preview1.Instantiate(ctx, m.runtime); m.err == nil {
		m.module, m.err = m.runtime.CompileModule(ctx, code)
	}
}

// machine decodes one image. After an error, its methods do nothing.
type machine struct {
	ctx  context.Context
	mod  api.Module
	free func() bool // releases ctx
	err  error
}

// start returns a machine, which the caller must close. It fails when ctx ends.
func (m *machines) start(ctx context.Context) (*machine, error) {
	m.once.Do(m.compile)
	if m.err != nil {
		return nil, m.err
	}
	mod, err := m.runtime.InstantiateModule(ctx, m.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	stop, ok := mod.ExportedGlobal(wasmcode.StopVariable).(api.MutableGlobal)
	if !ok {
		return nil, errors.Join(wasmcode.ErrModule, mod.Close(ctx))
	}
	return &machine{ctx: ctx, mod: mod, free: context.AfterFunc(ctx, func() { stop.Set(1) })}, nil
}

func (m *machine) close() {
	m.free()
	_ = m.mod.Close(context.Background()) // memory is its only resource
}

// call calls a function exported by the decoder.
func (m *machine) call(name string, args ...uint64) uint32 {
	if m.err != nil {
		return 0
	}
	f := m.mod.ExportedFunction(name)
	if f == nil {
		m.err = fmt.Errorf("the decoder lacks %s", name)
		return 0
	}
	res, err := f.Call(m.ctx, args...)
	if m.err = err; err != nil || len(res) == 0 {
		return 0
	}
	return api.DecodeU32(res[0])
}

// alloc allocates n bytes.
func (m *machine) alloc(n int) uint32 {
	at := m.call("malloc", uint64(n))
	if at == 0 && m.err == nil {
		m.err = errors.New("the decoder is out of memory")
	}
	return at
}

// copyIn copies data into the machine's memory.
func (m *machine) copyIn(data []byte) uint32 {
	at := m.alloc(len(data))
	if m.err == nil && !m.mod.Memory().Write(at, data) {
		m.err = errors.New("the image does not fit into the decoder")
	}
	return at
}

// uint32At reads the i-th number of an array.
func (m *machine) uint32At(at uint32, i uint32) int {
	if m.err != nil {
		return 0
	}
	n, ok := m.mod.Memory().ReadUint32Le(at + 4*i)
	if !ok {
		m.err = errors.New("the decoder returned an invalid address")
	}
	return int(n)
}

// copyOut copies n bytes from the machine's memory.
func (m *machine) copyOut(at uint32, n int) []byte {
	if m.err != nil {
		return nil
	}
	view, ok := m.mod.Memory().Read(at, uint32(n))
	if !ok {
		m.err = errors.New("the decoder returned an invalid image address")
	}
	return bytes.Clone(view)
}

// checkSize checks an image's dimensions and returns its number of pixels.
func (m *machine) checkSize(w, h, maxPixels int) int {
	if m.err == nil && (w < 1 || h < 1 || w > maxSide || h > maxSide || w*h > maxPixels) {
		m.err = errors.New("the image is larger than its header says, or empty")
	}
	if m.err != nil {
		return 0
	}
	return w * h
}

// decodeAVIF returns a decoder for images of at most maxPixels pixels. The module's function takes the image, whether
// to read only the header, whether to read all frames, and the addresses for width, height, depth, frames, delays and
// pixels.
func decodeAVIF(of *machines) func(ctx context.Context, data []byte, maxPixels int) (image.Image, error) {
	return func(ctx context.Context, data []byte, maxPixels int) (image.Image, error) {
		m, err := of.start(ctx)
		if err != nil {
			return nil, err
		}
		defer m.close()
		in, size := uint64(m.copyIn(data)), uint64(len(data))
		info := m.alloc(4*4 + 8)
		field := func(i uint64) uint64 { return uint64(info) + 4*i }
		if m.call("decode", in, size, 1, 0, field(0), field(1), field(2), field(3), 0, 0) == 0 && m.err == nil {
			return nil, errors.New("the header can't be read")
		}
		w, h, perPixel := m.uint32At(info, 0), m.uint32At(info, 1), 4
		if m.uint32At(info, 2) > 8 {
			perPixel = 8
		}
		n := perPixel * m.checkSize(w, h, maxPixels)
		if m.err != nil {
			return nil, m.err
		}
		out := m.alloc(n)
		ok := m.call("decode", in, size, 0, 0, field(0), field(1), field(2), field(3), field(4), uint64(out))
		if ok == 0 && m.err == nil {
			return nil, errors.New("the image can't be decoded")
		}
		pix := m.copyOut(out, n)
		if m.err != nil || perPixel == 4 {
			return &image.RGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}, m.err
		}
		for i := 0; i+1 < len(pix); i += 2 { // the machine is little-endian
			pix[i], pix[i+1] = pix[i+1], pix[i]
		}
		return &image.RGBA64{Pix: pix, Stride: 8 * w, Rect: image.Rect(0, 0, w, h)}, nil
	}
}

// Color spaces and chroma formats of libheif.
const (
	colorYCbCr, colorRGB, colorMonochrome = 0, 1, 2
	chroma420, chroma422, chroma444       = 1, 2, 3
)

// decodeHEIC returns a decoder for images of at most maxPixels pixels. The module's function takes the image, whether
// to read only the header, and the addresses for width, height, color space, chroma format, whether alpha is
// premultiplied, and pixels.
func decodeHEIC(of *machines) func(ctx context.Context, data []byte, maxPixels int) (image.Image, error) {
	return func(ctx context.Context, data []byte, maxPixels int) (image.Image, error) {
		m, err := of.start(ctx)
		if err != nil {
			return nil, err
		}
		defer m.close()
		in, info := m.copyIn(data), m.alloc(5*4)
		decode := func(headerOnly uint64, out uint32) {
			at := uint64(info)
			ok := m.call("decode", uint64(in), uint64(len(data)), headerOnly, at, at+4, at+8, at+12, at+16, uint64(out))
			if ok == 0 && m.err == nil {
				m.err = errors.New("the image can't be decoded")
			}
		}
		decode(1, 0)
		w, h := m.uint32At(info, 0), m.uint32At(info, 1)
		m.checkSize(w, h, maxPixels)
		img, pix, err := newHEIC(image.Rect(0, 0, w, h), m.uint32At(info, 2), m.uint32At(info, 3), m.uint32At(info, 4))
		if m.err = cmp.Or(m.err, err); m.err != nil {
			return nil, m.err
		}
		out := m.alloc(len(pix))
		decode(0, out)
		copy(pix, m.copyOut(out, len(pix)))
		return img, m.err
	}
}

// newHEIC returns an image with the layout in which libheif returns pixels, and these.
func newHEIC(r image.Rectangle, color, chroma, premultiplied int) (img image.Image, pix []byte, err error) {
	stride := func(n int) int { return (n + 15) &^ 15 }
	w, h := r.Dx(), r.Dy()
	switch color {
	case colorMonochrome:
		gray := &image.Gray{Pix: make([]byte, h*stride(w)), Stride: stride(w), Rect: r}
		return gray, gray.Pix, nil
	case colorRGB:
		pix, wide := make([]byte, h*stride(4*w)), stride(4*w)
		if premultiplied == 1 {
			return &image.RGBA{Pix: pix, Stride: wide, Rect: r}, pix, nil
		}
		return &image.NRGBA{Pix: pix, Stride: wide, Rect: r}, pix, nil
	case colorYCbCr:
		p := &image.YCbCr{Rect: r, YStride: stride(w), CStride: stride(w), SubsampleRatio: image.YCbCrSubsampleRatio444}
		ch := h
		switch chroma {
		case chroma420:
			p.CStride, ch, p.SubsampleRatio = stride((w+1)/2), (h+1)/2, image.YCbCrSubsampleRatio420
		case chroma422:
			p.CStride, p.SubsampleRatio = stride((w+1)/2), image.YCbCrSubsampleRatio422
		case chroma444:
		default:
			return nil, nil, fmt.Errorf("the chroma format %d is unknown", chroma)
		}
		y, c := h*p.YStride, ch*p.CStride
		pix := make([]byte, y+2*c)
		p.Y, p.Cb, p.Cr = pix[:y:y], pix[y:y+c:y+c], pix[y+c:]
		return p, pix, nil
	}
	return nil, nil, fmt.Errorf("the color space %d is unknown", color)
}
