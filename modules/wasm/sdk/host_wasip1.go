package sdk

import "unsafe"

// The server's functions. See "The interface" in the README of the module wasm.

//go:wasmimport stoa_1 read
func hostRead(at unsafe.Pointer)

//go:wasmimport stoa_1 write
func hostWrite(at unsafe.Pointer, size uint32)

//go:wasmimport stoa_1 call
func hostCall(at unsafe.Pointer, size uint32) uint32

//go:wasmexport stoa_1
func entry(size uint32) {
	out := serve(read(size))
	hostWrite(unsafe.Pointer(unsafe.SliceData(out)), uint32(len(out)))
}

// read reads a text of which the server has told the size.
func read(size uint32) []byte {
	text := make([]byte, size)
	hostRead(unsafe.Pointer(unsafe.SliceData(text)))
	return text
}

func exchange(text []byte) ([]byte, error) {
	return read(hostCall(unsafe.Pointer(unsafe.SliceData(text)), uint32(len(text)))), nil
}
