package s3

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// maxUnsent limits how many unsent bytes a connection accepts.
const maxUnsent = 128 << 10

// showProgress makes a connection accept data only as fast as the store receives it. Otherwise several megabytes would
// disappear into a buffer immediately, and a slow upload would look like one that hangs.
func showProgress(_, _ string, c syscall.RawConn) error {
	// If the system does not support the option, only the observation is less precise.
	return c.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
	})
}
