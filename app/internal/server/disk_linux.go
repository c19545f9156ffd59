package server

import "syscall"

// freeBytes returns the number of bytes that the server may still write on a folder's disk; false if unknown.
func freeBytes(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bsize <= 0 {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
