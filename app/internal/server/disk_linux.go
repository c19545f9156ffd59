package server

import "syscall"

// freeBytes returns how many bytes the server may still write on the disk of a folder; false if the system does not
// say.
func freeBytes(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bsize <= 0 {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
