//go:build !linux

package server

// freeBytes reports false: free disk space is checked on Linux only.
func freeBytes(string) (uint64, bool) { return 0, false }
