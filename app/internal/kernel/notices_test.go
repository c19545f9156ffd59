package kernel

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// neverPoll makes everything arrive by notices, or by looking once when listening begins.
func neverPoll(o *Options) { o.Poll, o.PollMore = time.Hour, time.Hour }

func (n *node) followed(seq int64) func() bool {
	return func() bool {
		told := n.published()
		return len(told) > 0 && int64(told[len(told)-1]) >= seq
	}
}

// Entries of other nodes arrive without polling, also after the connection that receives notices was lost.
func TestNotices(t *testing.T) {
	c := newClusterAt(t, storetest.PostgresURL(t))
	a, b := c.node(neverPoll), c.node(neverPoll)
	a.must(a.Start(bg))
	a.must(b.Start(bg))
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err := a.View(bg, 1)
	a.must(err)
	a.eventually(a.notes.listening.Load)
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(a.followed(2))
	_, err = b.send(bg, 1, 1, "hello") // by a writer
	a.must(err)
	a.eventually(a.followed(3))

	endListening(t, c.url)
	a.eventually(func() bool { return !a.notes.listening.Load() })
	a.must(b.put(bg, 1, 3, named("cat"))) // perhaps while nobody listens
	a.eventually(a.followed(4))
	a.eventually(a.notes.listening.Load)
	a.must(b.put(bg, 1, 4, named("dan")))
	a.eventually(a.followed(5))
}

// endListening ends the connections that listen for notifications.
func endListening(t *testing.T, url string) {
	t.Helper()
	admin, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	_, err = admin.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`)
	if err != nil {
		t.Fatal(err)
	}
}

// A node that cannot receive notices polls more often.
func TestWithoutNotices(t *testing.T) {
	c := newClusterAt(t, storetest.PostgresURL(t))
	u, err := url.Parse(c.url)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = testrun.FreeAddr(t)
	a := c.nodeOn(bunstore.Config{URL: c.url, NotifyURL: u.String()},
		func(o *Options) { o.Poll, o.PollMore = time.Hour, time.Millisecond })
	b := c.node(neverPoll)
	a.must(a.Start(bg))
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err = a.View(bg, 1)
	a.must(err)
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(a.followed(2))
}

// A notice is not believed: it may be forged, misspelled, or from before the database was restored.
func TestForgedNotices(t *testing.T) {
	c := newClusterAt(t, storetest.PostgresURL(t))
	a, b := c.node(neverPoll), c.node(neverPoll)
	a.must(a.Start(bg))
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err := a.View(bg, 1)
	a.must(err)
	a.eventually(a.notes.listening.Load)
	for _, text := range []string{
		"", "x", "1:", ":2", "1:9223372036854775807", "1:-5 2:7", "99999999999999999999:1", "77:3",
	} {
		a.must(b.bus.Tell(bg, text))
	}
	a.must(b.Start(bg))
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(a.followed(2))
	if v, err := a.Verified(bg, 1); err != nil || v.Seq() != 2 {
		t.Errorf("at %d, %v", v.Seq(), err)
	}
	if e, err := a.Epoch(bg, 1); err != nil || e != 0 {
		t.Errorf("epoch %d, %v", e, err)
	}
}

// Behind a pooler, notices arrive at the address of PostgreSQL itself, and without one, nodes do not try to listen.
func TestNoticesBehindPooler(t *testing.T) {
	pooler := storetest.PoolerURL(t)
	u, err := url.Parse(pooler)
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	u.Host = server.Host
	c := newClusterAt(t, pooler)
	db := storetest.OpenURL(t, bunstore.Config{URL: pooler})
	err = db.Listen(bg, noticeChannel, func() { t.Error("ready") }, func(string) {})
	if !errors.Is(err, bunstore.ErrNotDelivered) {
		t.Error(err)
	}
	a, b := c.nodeOn(bunstore.Config{URL: pooler, NotifyURL: u.String()}, neverPoll), c.node(neverPoll)
	a.must(a.Start(bg))
	a.must(b.Start(bg))
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err = a.View(bg, 1)
	a.must(err)
	a.eventually(a.notes.listening.Load)
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(a.followed(2))
}

// A probe that does not arrive means that the database does not deliver notifications.
func TestNotDelivered(t *testing.T) {
	c := newClusterAt(t, storetest.PostgresURL(t))
	other := storetest.PostgresURL(t) // notifications do not leave their database
	db := storetest.OpenURL(t, bunstore.Config{URL: c.url, NotifyURL: other, Patience: 1})
	err := db.Listen(context.Background(), noticeChannel, func() { t.Error("ready") }, func(string) {})
	if !errors.Is(err, bunstore.ErrNotDelivered) {
		t.Error(err)
	}
}
