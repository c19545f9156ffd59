//go:build !linux

package server

// freeBytes is not implemented for this system.
func freeBytes(string) (uint64, bool) { return 0, false }
