//go:build !linux

package server

// freeBytes returns false, because free disk space is checked only on Linux.
func freeBytes(string) (uint64, bool) { return 0, false }
