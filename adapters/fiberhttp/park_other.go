//go:build !linux

package fiberhttp

import "net"

// canPark is false: without a watcher, disconnects of parked clients would go unnoticed.
const canPark = false

func tryWrite(*net.TCPConn, []byte) (int, error) { return 0, nil }
