package admin

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user of the process at the other end of a connection, or false if it is unknown.
func peer(c net.Conn) (uid int, known bool) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0, false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return -1, true
	}
	uid = -1
	err = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	})
	if err != nil {
		return -1, true
	}
	return uid, true
}
