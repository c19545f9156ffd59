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

// clerks is how many parked polls are answered at a time, however many are woken.
const clerks = 16

// desk is where parked polls are answered. All but the group is guarded by polls.mu.
type desk struct {
	first, last *poll // that are due
	clerks      int   // at work
	serving     map[*conn]struct{}
	out         sync.WaitGroup // polls, and connections given back, that Shutdown of fasthttp does not know of
}

// due lets a parked poll be answered; the lock is held.
func (a *polls) due(p *poll) {
	d := &a.desk
	if d.first == nil {
		d.first = p
	} else {
		d.last.next = p
	}
	d.last = p
	if d.clerks < clerks {
		d.clerks++
		go a.answerAll()
	}
}

func (a *polls) nextDue() *poll {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := &a.desk
	p := d.first
	if p == nil {
		d.clerks--
		return nil
	}
	d.first, p.next = p.next, nil
	return p
}

func (a *polls) answerAll() {
	var text bytes.Buffer
	w := bufio.NewWriter(&text)
	for p := a.nextDue(); p != nil; p = a.nextDue() {
		text.Reset()
		p.reply(w, &text)
		runtime.Gosched() // a clerk never waits, and would keep requests waiting, such as the one that has woken all these polls
	}
}

// reply answers a parked poll that has been roused, as a handler would, and gives its connection back.
func (p *poll) reply(w *bufio.Writer, text *bytes.Buffer) {
	x, k, a := p.x, p.parked, p.all
	res := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(res)
	for line := range strings.Lines(k.headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		res.Header.Add(name, value)
	}
	x.res = res
	over := true
	x.safely(func() { over = p.advance() })
	if !over { // it waits again, and another clerk may have it by now
		return
	}
	defer a.desk.out.Done()
	p.end()
	x.log()
	if x.gone {
		_ = k.conn.Close()
		return
	}
	closing := k.closing || a.ends()
	switch {
	case closing:
		res.SetConnectionClose()
	case k.old:
		res.Header.Set(fiber.HeaderConnection, "keep-alive")
	}
	res.SkipBody = k.head
	_ = res.Write(w) // into memory
	_ = w.Flush()
	a.deliver(k.conn, text.Bytes(), closing)
}

func (a *polls) ends() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stopping
}

// deliver writes without waiting: nearly always the kernel takes all of it. What it does not take of a slow client's
// answer is left to the goroutine that the connection gets for its next requests anyway.
func (a *polls) deliver(c *conn, text []byte, closing bool) {
	n, err := tryWrite(c.TCPConn, text)
	if err != nil || n == len(text) && closing {
		_ = c.Close()
		return
	}
	a.desk.out.Add(1)
	go a.goOn(c, bytes.Clone(text[n:]), closing)
}

// goOn writes the rest of an answer and has fasthttp serve the connection again.
func (a *polls) goOn(c *conn, rest []byte, closing bool) {
	defer a.desk.out.Done()
	if !a.write(c, rest) || closing || !a.takesUp(c) {
		_ = c.Close()
		return
	}
	_ = a.s.app.Server().ServeConn(c) // what went wrong is the client's affair
	a.mu.Lock()
	delete(a.desk.serving, c)
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

// takesUp tells whether the connection may be served again. It sets the deadline for the next request, which fasthttp
// does only when that has begun.
func (a *polls) takesUp(c *conn) bool {
	if c.SetReadDeadline(deadline(a.s.cfg.IdleTimeout)) != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopping {
		return false
	}
	a.desk.serving[c] = struct{}{}
	return true
}

// hush ends connections that were given back and have asked for nothing since: fasthttp takes them for new ones, which
// its Shutdown leaves five seconds. The lock is held.
func (d *desk) hush() {
	for c := range d.serving {
		if !c.used.Load() {
			_ = c.SetReadDeadline(past())
		}
	}
}

// wait returns when all that was parked has been answered. Call it after stop and fasthttp's Shutdown: a connection
// that is still served has been given back just too late for that to notice, and asks for nothing yet. Errors: that of
// ctx.
func (a *polls) wait(ctx context.Context) error {
	a.mu.Lock()
	for c := range a.desk.serving {
		_ = c.TCPConn.Close()
	}
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.desk.out.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
