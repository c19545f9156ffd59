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
	epoll, stopFD int // stopFD is an eventfd that stops the loop
	done          chan struct{}

	mu        sync.Mutex
	next      int32
	callbacks map[int32]func()
}

func newWatcher() (*watcher, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	stopFD, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(epoll)
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	w := &watcher{epoll: epoll, stopFD: stopFD, done: make(chan struct{}), callbacks: map[int32]func(){}}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, stopFD, newEvent(unix.EPOLLIN, 0)); err != nil {
		w.closeFiles()
		return nil, fmt.Errorf("watch connections: %w", err)
	}
	go w.loop()
	return w, nil
}

// newEvent returns an event that carries a number of the watcher's own, because the kernel reuses descriptors.
func newEvent(events uint32, number int32) *unix.EpollEvent {
	return &unix.EpollEvent{Events: events, Fd: number}
}

// register registers onHangup under an unused number. 0 is the number of stopFD.
func (w *watcher) register(onHangup func()) int32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for taken := true; taken; {
		w.next = w.next%math.MaxInt32 + 1
		_, taken = w.callbacks[w.next]
	}
	w.callbacks[w.next] = onHangup
	return w.next
}

// add watches a connection and calls onHangup when the client disconnects. onHangup must not block. Call unwatch before
// the connection is passed on.
func (w *watcher) add(conn net.Conn, onHangup func()) (unwatch func()) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return func() {}
	}
	rc, err := sc.SyscallConn()
	if err != nil {
		return func() {}
	}
	number := w.register(onHangup)
	_ = rc.Control(func(fd uintptr) { // if this fails, the poll is held all the same
		_ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, int(fd), newEvent(unix.EPOLLRDHUP|unix.EPOLLONESHOT, number))
	})
	return func() {
		w.mu.Lock()
		delete(w.callbacks, number)
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
			onHangup := w.callbacks[e.Fd]
			delete(w.callbacks, e.Fd)
			w.mu.Unlock()
			if onHangup != nil {
				onHangup()
			}
		}
	}
}

func (w *watcher) close() {
	_, _ = unix.Write(w.stopFD, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-w.done
	w.closeFiles()
}

func (w *watcher) closeFiles() {
	_ = unix.Close(w.stopFD)
	_ = unix.Close(w.epoll)
}
