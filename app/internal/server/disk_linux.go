package server

import "syscall"

// freeBytes returns how many bytes the server may still write to the disk that holds dir, or false if that is unknown.
func freeBytes(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bsize <= 0 {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
