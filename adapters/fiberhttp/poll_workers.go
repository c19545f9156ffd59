package fiberhttp

import (
	"bufio"
	"bytes"
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// maxPollWorkers limits the workers that respond to parked polls.
const maxPollWorkers = 16

// pollWorkers respond to parked polls. polls.mu guards all fields except pending.
type pollWorkers struct {
	first, last *poll // queue of polls to respond to
	running     int   // running workers
	serving     map[*conn]struct{}
	pending     sync.WaitGroup // polls and returned connections, which fasthttp's Shutdown does not track
}

// enqueue queues a parked poll for a worker. The caller holds the lock.
func (a *polls) enqueue(p *poll) {
	d := &a.workers
	if d.first == nil {
		d.first = p
	} else {
		d.last.next = p
	}
	d.last = p
	if d.running < maxPollWorkers {
		d.running++
		go a.runWorker()
	}
}

func (a *polls) dequeue() *poll {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := &a.workers
	p := d.first
	if p == nil {
		d.running--
		return nil
	}
	d.first, p.next = p.next, nil
	return p
}

func (a *polls) runWorker() {
	var text bytes.Buffer
	w := bufio.NewWriter(&text)
	for p := a.dequeue(); p != nil; p = a.dequeue() {
		text.Reset()
		p.reply(w, &text)
		runtime.Gosched() // a worker never blocks, so it would delay requests such as the one that woke all these polls
	}
}

// reply responds to a woken parked poll as a handler would, and returns its connection to fasthttp.
func (p *poll) reply(w *bufio.Writer, text *bytes.Buffer) {
	x, k, a := p.x, p.parked, p.all
	res := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(res)
	for line := range strings.Lines(k.headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		res.Header.Add(name, value)
	}
	x.res = res
	done := true
	x.safely(func() { done = p.advance() })
	if !done { // it waits again, and another worker may already be serving it
		return
	}
	defer a.workers.pending.Done()
	p.end()
	x.log()
	if x.disconnected {
		_ = k.conn.Close()
		return
	}
	closing := k.closing || a.isStopping()
	switch {
	case closing:
		res.SetConnectionClose()
	case k.http10:
		res.Header.Set(fiber.HeaderConnection, "keep-alive")
	}
	res.SkipBody = k.head
	_ = res.Write(w) // into memory
	_ = w.Flush()
	a.deliver(k.conn, text.Bytes(), closing)
	x.sent()
}

func (a *polls) isStopping() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stopping
}

// deliver writes without blocking. Almost always, the kernel accepts everything. The rest of a slow client's response
// is written by the goroutine that the connection needs for its next requests anyway.
func (a *polls) deliver(c *conn, text []byte, closing bool) {
	n, err := tryWrite(c.TCPConn, text)
	if err != nil || n == len(text) && closing {
		_ = c.Close()
		return
	}
	a.workers.pending.Add(1)
	go a.resume(c, bytes.Clone(text[n:]), closing)
}

// resume writes the rest of a response and returns the connection to fasthttp.
func (a *polls) resume(c *conn, rest []byte, closing bool) {
	defer a.workers.pending.Done()
	if !a.write(c, rest) || closing || !a.mayResume(c) {
		_ = c.Close()
		return
	}
	_ = a.s.app.Server().ServeConn(c) // errors concern only the client
	a.mu.Lock()
	delete(a.workers.serving, c)
	a.mu.Unlock()
}

func (a *polls) write(c *conn, rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	if c.SetWriteDeadline(deadline(a.s.cfg.WriteTimeout)) != nil {
		return false
	}
	_, err := c.Write(rest)
	return err == nil
}

// mayResume reports whether the connection may serve more requests. It sets the deadline for the next one, which
// fasthttp does only after the first byte.
func (a *polls) mayResume(c *conn) bool {
	if c.SetReadDeadline(deadline(a.s.cfg.IdleTimeout)) != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopping {
		return false
	}
	a.workers.serving[c] = struct{}{}
	return true
}

// closeIdle closes connections that have been idle since they were returned. fasthttp considers them new, and its
// Shutdown would wait five seconds for them. The caller holds the lock.
func (d *pollWorkers) closeIdle() {
	for c := range d.serving {
		if !c.used.Load() {
			_ = c.SetReadDeadline(pastDeadline())
		}
	}
}

// wait waits until there has been a response to every parked poll. Call it after stop and fasthttp's Shutdown: any
// connection still being served was returned too late for Shutdown to notice and is idle. Errors: that of ctx.
func (a *polls) wait(ctx context.Context) error {
	a.mu.Lock()
	for c := range a.workers.serving {
		_ = c.TCPConn.Close()
	}
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.workers.pending.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
