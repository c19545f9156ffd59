//go:build !linux

package fiberhttp

import "net"

// watcher does not detect disconnected clients on this system. They are noticed at the next write.
type watcher struct{}

func newWatcher() (*watcher, error) { return &watcher{}, nil }

func (*watcher) add(net.Conn, func()) func() { return func() {} }

func (*watcher) close() {}
