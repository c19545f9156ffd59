//go:build linux

package fiberhttp

import (
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// watcher detects that clients disconnect while their requests are held, which fasthttp does not. All held polls share
// one epoll instance and one goroutine; each is registered once, for hang-ups only. Connections with TLS terminated in
// this process have no descriptor to watch, so their disconnection is noticed at the next write.
type watcher struct {
	epoll, bell int // bell is an eventfd that stops the loop
	done        chan struct{}

	mu    sync.Mutex
	next  int32
	waits map[int32]func()
}

func newWatcher() (*watcher, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(epoll)
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	w := &watcher{epoll: epoll, bell: bell, done: make(chan struct{}), waits: map[int32]func(){}}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, bell, interest(unix.EPOLLIN, 0)); err != nil {
		w.closeFiles()
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	go w.loop()
	return w, nil
}

// interest returns an event that carries a number of the watcher's own, because the kernel reuses descriptors.
func interest(events uint32, number int32) *unix.EpollEvent {
	return &unix.EpollEvent{Events: events, Fd: number}
}

// enter registers left under an unused number. 0 is the bell's number.
func (w *watcher) enter(left func()) int32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for taken := true; taken; {
		w.next = w.next%math.MaxInt32 + 1
		_, taken = w.waits[w.next]
	}
	w.waits[w.next] = left
	return w.next
}

// add watches a connection and calls left when the client disconnects. left must not block. Call forget before the
// connection is passed on.
func (w *watcher) add(conn net.Conn, left func()) (forget func()) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return func() {}
	}
	rc, err := sc.SyscallConn()
	if err != nil {
		return func() {}
	}
	number := w.enter(left)
	_ = rc.Control(func(fd uintptr) { // if this fails, the poll is held all the same
		_ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, int(fd), interest(unix.EPOLLRDHUP|unix.EPOLLONESHOT, number))
	})
	return func() {
		w.mu.Lock()
		delete(w.waits, number)
		w.mu.Unlock()
		_ = rc.Control(func(fd uintptr) { _ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, int(fd), nil) })
	}
}

func (w *watcher) loop() {
	defer close(w.done)
	events := make([]unix.EpollEvent, 256)
	for {
		n, err := unix.EpollWait(w.epoll, events, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		for _, e := range events[:max(n, 0)] {
			if e.Fd == 0 {
				return
			}
			w.mu.Lock()
			left := w.waits[e.Fd]
			delete(w.waits, e.Fd)
			w.mu.Unlock()
			if left != nil {
				left()
			}
		}
	}
}

func (w *watcher) close() {
	_, _ = unix.Write(w.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-w.done
	w.closeFiles()
}

func (w *watcher) closeFiles() {
	_ = unix.Close(w.bell)
	_ = unix.Close(w.epoll)
}
