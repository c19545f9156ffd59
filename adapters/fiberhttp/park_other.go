//go:build !linux

package fiberhttp

import "net"

// canPark: without a watcher, nobody would ever notice that a parked client has gone.
const canPark = false

func tryWrite(*net.TCPConn, []byte) (int, error) { return 0, nil }
