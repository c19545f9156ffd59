package fiberhttp

import (
	"context"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// watchAfter is how long a request runs before its client is watched. Most requests finish sooner, at no extra cost.
const watchAfter = 250 * time.Millisecond

// watch cancels a GET request when its client disconnects; other requests always complete. Call unwatch before the
// connection is passed on.
func (x *request) watch(cancel context.CancelFunc) (unwatch func()) {
	if x.c.Method() != fiber.MethodGet || x.s.polls == nil {
		return func() {}
	}
	conn := x.c.Context().Conn()
	var mu sync.Mutex
	var done, disconnected bool
	remove := func() {}
	timer := time.AfterFunc(watchAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return
		}
		remove = x.s.polls.watch.add(conn, func() {
			mu.Lock()
			disconnected = true
			mu.Unlock()
			cancel()
		})
	})
	return func() {
		timer.Stop()
		mu.Lock()
		done = true
		stop := remove
		remove = func() {}
		mu.Unlock()
		stop() // may wait for the watcher, which may wait for mu
		mu.Lock()
		defer mu.Unlock()
		x.disconnected = x.disconnected || disconnected
	}
}
