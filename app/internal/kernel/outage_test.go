package kernel

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// wire is a network connection between a node and PostgreSQL that can be made to fail.
type wire struct {
	t      testing.TB
	server string
	mu     sync.Mutex
	listen net.Listener
	addr   string
	conns  map[net.Conn]bool
	lose   string // the next COMMIT to lose: "request" or "answer"; "": none
	lost   int
}

// newWire returns a cluster whose nodes connect to the database through a wire.
func newWire(t *testing.T) (*cluster, *wire) {
	if !storetest.Postgres() {
		t.Skip("SQLite has no connection to break")
	}
	w := newCluster(t)
	u, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	x := &wire{t: t, server: u.Host, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	x.up()
	t.Cleanup(x.down)
	u.Host = x.addr
	return &cluster{t, u.String()}, x
}

func (x *wire) up() {
	l, err := net.Listen("tcp", x.addr)
	if err != nil {
		x.t.Fatal(err)
	}
	x.mu.Lock()
	x.listen, x.addr = l, l.Addr().String()
	x.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go x.carry(c)
		}
	}()
}

func (x *wire) down() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.listen.Close()
	for c := range x.conns {
		_ = c.Close()
	}
	clear(x.conns)
}

func (x *wire) carry(client net.Conn) {
	server, err := net.Dial("tcp", x.server)
	if err != nil {
		_ = client.Close()
		return
	}
	x.mu.Lock()
	x.conns[client], x.conns[server] = true, true
	x.mu.Unlock()
	cut := func() { _ = client.Close(); _ = server.Close() }
	defer cut()
	dropping := make(chan struct{})
	go func() { // responses
		defer cut()
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			select {
			case <-dropping:
				return // the server has answered, so it has committed
			default:
			}
			if n > 0 {
				if _, err := client.Write(buf[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if n > 0 {
			what := x.losing(buf[:n])
			if what == "request" {
				return
			}
			if what == "answer" {
				close(dropping)
			}
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
			if what == "answer" { // until the server has answered
				_, _ = io.Copy(io.Discard, client)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (x *wire) losing(request []byte) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.lose == "" || !bytes.Contains(request, []byte("; COMMIT")) {
		return ""
	}
	what := x.lose
	x.lose = ""
	x.lost++
	return what
}

func (x *wire) loseNext(what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lose = what
}

// If the connection breaks during COMMIT, before or after the server has received it, everything still happens exactly
// once.
func TestUnknownOutcome(t *testing.T) {
	w, x := newWire(t)
	n := w.node()
	n.must(n.put(bg, 1, 1, named("0")))
	for i, what := range []string{"answer", "request", "answer"} {
		x.loseNext(what)
		n.must(n.put(bg, 1, 1, func(u *user.User) { u.FullName += "+" }))
		x.loseNext(what)
		id, err := n.send(bg, 1, 1, what)
		n.must(err)
		log := n.wholeLog(1)
		if last := log[len(log)-1]; last.Ref != id || len(log) != 3+2*i || x.lost != 2+2*i {
			t.Fatalf("%s: %d entries, the last about %d (want %d), %d lost", what, len(log), last.Ref, id, x.lost)
		}
		v, err := n.View(bg, 1)
		n.must(err)
		if v.User(1).FullName != "0"+strings.Repeat("+", i+1) || v.Seq() != int64(len(log)) {
			t.Fatalf("%s: %s at %d", what, facts(v), v.Seq())
		}
	}
}

// While the database is unavailable, requests get status 503 and no outdated results. Afterwards everything recovers.
func TestOutage(t *testing.T) {
	w, x := newWire(t)
	var log bytes.Buffer
	n := w.node(func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	n.must(n.put(bg, 1, 1, named("ann")))
	for _, err := range []error{context.DeadlineExceeded, unavailable(), errors.New("a bug"),
		&pgconn.PgError{Code: "57014"}} {
		if _ = n.ClientError(err); n.Down() {
			t.Errorf("%v was treated as an outage", err)
		}
	}
	x.down()
	for range 3 {
		if !n.ObserveDatabase(n.db.Ping(bg)) || !n.Down() {
			t.Error("an outage was not recognized")
		}
	}
	if n.ObserveDatabase(errors.New("a bug")); strings.Count(log.String(), "\n") != 1 ||
		!strings.Contains(log.String(), "the database closed the connection") {
		t.Errorf("the outage is logged as\n%s", log.String())
	}
	n.clock.advance(2 * time.Second)
	for name, try := range map[string]func() error{
		"view":     func() error { _, err := n.View(bg, 1); return err },
		"verified": func() error { _, err := n.Verified(bg, 1); return err },
		"cold":     func() error { _, err := n.View(bg, 2); return err },
		"after":    func() error { _, _, err := n.After(bg, 1, 0, 10); return err },
		"send":     func() error { _, err := n.send(bg, 1, 1, "x"); return err },
		"do":       func() error { return n.put(bg, 1, 1, named("eve")) },
		"snapshot": func() error { return n.Snapshot(bg, 1, func(context.Context) error { return nil }) },
		"a store":  func() error { _, err := n.rows(bg, 1); return err },
	} {
		if err := try(); !errs.Is(err, errs.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.up()
	_, err := n.send(bg, 1, 1, "x")
	n.must(err)
	n.must(n.put(bg, 1, 1, named("eve")))
	for range 2 {
		n.ObserveDatabase(n.db.Ping(bg))
	}
	if n.Down() || strings.Count(log.String(), "\n") != 2 || !strings.Contains(log.String(), "responds again") {
		t.Errorf("the end of the outage is logged as\n%s", log.String())
	}
	for _, pause := range []time.Duration{0, 2 * time.Second} { // an outage soon after another one is part of it
		n.clock.advance(pause)
		x.down()
		n.ObserveDatabase(n.db.Ping(bg))
		x.up()
		n.ObserveDatabase(n.db.Ping(bg))
	}
	if n.Down() || strings.Count(log.String(), "level=ERROR") != 2 {
		t.Errorf("three outages, two of them in a row, are logged as\n%s", log.String())
	}
	v, err := n.View(bg, 1)
	n.must(err)
	if v.User(1).FullName != "eve" || len(n.wholeLog(1)) != 3 {
		t.Errorf("%s, %d entries", facts(v), len(n.wholeLog(1)))
	}
}

// If two units lock rows in opposite order, the database aborts one of them, which is retried.
func TestDeadlockIsRetried(t *testing.T) {
	n := newCluster(t).node()
	if n.db.OneWriter() {
		t.Skip("SQLite has one writer")
	}
	n.must(n.put(bg, 1, 1, named("a")))
	n.must(n.put(bg, 1, 2, named("b")))
	var wg sync.WaitGroup
	var meet sync.WaitGroup
	meet.Add(2)
	for i := range 2 {
		runs := 0
		wg.Go(func() {
			err := n.Do(bg, func(ctx context.Context) error {
				runs++
				for j := range 2 {
					var u userRow
					q := n.db.ForUpdate(n.db.From(ctx).NewSelect().Model(&u).Where("id = ?", 1+(i+j)%2))
					if err := q.Scan(ctx); err != nil {
						return err
					}
					if j == 0 && runs == 1 {
						meet.Done()
						meet.Wait()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// If a statement fails and the module ignores that, PostgreSQL has aborted the transaction, and the unit must not
// appear to be committed.
func TestIgnoredErrorDoesNotCommit(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("a")))
	err := n.Do(bg, func(ctx context.Context) error {
		if _, err := n.db.From(ctx).NewRaw("UPDATE t_users SET name = 'lost'").Exec(ctx); err != nil {
			return err
		}
		_, err := n.db.From(ctx).NewRaw("INSERT INTO t_realms VALUES (1)").Exec(ctx)
		if !n.db.Conflict(err) {
			t.Errorf("want a conflict: %v", err)
		}
		return nil
	})
	rows, rerr := n.rows(bg, 1)
	n.must(rerr)
	if committed := rows[0].Name == "lost"; committed != (err == nil) {
		t.Errorf("Do returned %v, the row contains %s", err, rows[0].Name)
	}
}

func TestCancelledDo(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("a")))
	ctx, cancel := context.WithCancel(bg)
	err := n.Do(ctx, func(ctx context.Context) error {
		n.must(n.put(ctx, 1, 1, named("b")))
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(n.wholeLog(1)) != 1 {
		t.Errorf("%v, %d entries", err, len(n.wholeLog(1)))
	}
	n.must(n.put(bg, 1, 1, named("c")))
}
