//go:build linux

package fiberhttp

import (
	"errors"
	"net"
	"syscall"
)

const canPark = true

// tryWrite writes as much as the kernel accepts without blocking. It fails if the connection is broken.
func tryWrite(c *net.TCPConn, b []byte) (n int, err error) {
	rc, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = rc.Write(func(fd uintptr) bool {
		n, failed = syscall.Write(int(fd), b)
		return true
	})
	if errors.Is(failed, syscall.EAGAIN) || errors.Is(failed, syscall.EINTR) {
		n, failed = 0, nil
	}
	return max(n, 0), errors.Join(err, failed)
}
