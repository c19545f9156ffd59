//go:build unix

package bunstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// lock makes this process the only server of a SQLite database. The operating system releases the lock when the process
// ends, however it does. Errors: *InUseError.
func lock(path string) (release func() error, err error) {
	f, err := os.OpenFile(lockFile(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		held := &InUseError{File: path}
		if text, err := io.ReadAll(io.LimitReader(f, 20)); err == nil {
			held.PID = strings.TrimSpace(string(text))
		}
		return nil, errors.Join(held, f.Close())
	}
	if err == nil {
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		}
	} else if errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		err = nil // a file system without locks
	}
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", errors.Join(err, f.Close()))
	}
	return f.Close, nil
}
