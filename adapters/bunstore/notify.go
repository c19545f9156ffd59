package bunstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// notifications sends and receives PostgreSQL's notifications. Both use connections outside of the pools, so that a
// busy node is neither late nor deaf. A notification is a transaction of its own, since PostgreSQL commits transactions
// with notifications one after the other.
type notifications struct {
	sender *sql.DB         // one connection, opened on first use
	listen *pgx.ConnConfig // of the address that delivers notifications
	direct bool            // whether the operator has named that address
}

const (
	notifyTimeout = 3 * time.Second
	probeEvery    = 30 * time.Second // how long a silent connection is trusted
	probePrefix   = "probe "
)

// ErrNotDelivered reports that PostgreSQL accepts notifications but does not deliver them, as behind a
// connection pooler that assigns connections per transaction.
var ErrNotDelivered = errors.New("notifications of the database do not arrive; behind a connection pooler, set " +
	"database.notify_url to the address of PostgreSQL itself")

// openNotifications prepares sending to url and listening at listenURL, or at url if that is empty. It does not
// connect.
func openNotifications(url, listenURL string) (*notifications, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	n := &notifications{listen: cfg.Copy(), direct: listenURL != ""}
	if listenURL != "" {
		if n.listen, err = pgx.ParseConfig(listenURL); err != nil {
			return nil, fmt.Errorf("the URL for notifications is not valid: %w", err)
		}
	}
	for _, c := range []*pgx.ConnConfig{cfg, n.listen} {
		c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		c.ValidateConnect = inspect // a standby accepts no notifications
		if c.ConnectTimeout == 0 {
			c.ConnectTimeout = 5 * time.Second
		}
	}
	cfg.OnNotification = ignoreNotification
	n.sender = sql.OpenDB(stdlib.GetConnector(*cfg))
	n.sender.SetMaxOpenConns(1)
	n.sender.SetConnMaxIdleTime(5 * time.Minute)
	return n, nil
}

// ignoreNotification drops a notification that arrives on a connection that does not listen. Behind a pooler, another
// client may have listened on it; without this, pgx would store the notifications.
func ignoreNotification(*pgconn.PgConn, *pgconn.Notification) {}

// Notifies reports whether processes that share the database can notify each other. On SQLite, which has a single
// server, they cannot.
func (db *DB) Notifies() bool { return db.notifications != nil }

// Notify sends a text of less than 8000 bytes to the processes that listen on a channel of the same database. Any user
// of the database can send and receive notifications, so they must neither contain secrets nor be trusted.
func (db *DB) Notify(ctx context.Context, channel, text string) error {
	ctx, cancel := context.WithTimeout(ctx, db.Timeout(notifyTimeout))
	defer cancel()
	if db.observe != nil {
		db.observe("SELECT pg_notify")
	}
	_, err := db.notifications.sender.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, text)
	return ofConn(err)
}

// Listen receives the notifications of a channel on a connection of its own until that breaks or ctx ends. It calls
// ready when notifications are known to arrive, and then received for each one, on the same goroutine. Notifications
// sent before ready, or while nobody listens, are lost. Errors: ErrNotDelivered.
func (db *DB) Listen(ctx context.Context, channel string, ready func(), received func(text string)) error {
	conn, err := pgx.ConnectConfig(ctx, db.notifications.listen)
	if err != nil {
		return explain(db.notifications.listen, err)
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(end) // the connection may already be broken
	}()
	if !db.notifications.direct && isShared(conn.PgConn()) {
		return ErrNotDelivered // LISTEN would take effect for whoever gets the pooler's connection next
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	l := listener{db: db, conn: conn, channel: channel, received: received}
	if err := l.probe(ctx); err != nil {
		return err
	}
	ready()
	for {
		wait, cancel := context.WithTimeout(ctx, probeEvery)
		err := l.next(ctx, wait)
		cancel()
		if errors.Is(err, errSilent) { // the other side may be gone, which only sending something reveals
			err = l.probe(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// listener is a connection that listens.
type listener struct {
	db       *DB
	conn     *pgx.Conn
	channel  string
	received func(text string)
	probed   string // the probe that must arrive; "" if it has
}

// errSilent means that no notification has arrived in time.
var errSilent = errors.New("no notification has arrived")

// next waits for one notification. Errors: errSilent if wait, which is derived from ctx, ends first.
func (l *listener) next(ctx, wait context.Context) error {
	n, err := l.conn.WaitForNotification(wait)
	switch {
	case err != nil && ctx.Err() == nil && wait.Err() != nil && !l.conn.IsClosed():
		return errSilent
	case err != nil:
		return err
	case n.Payload == l.probed:
		l.probed = ""
	case !strings.HasPrefix(n.Payload, probePrefix):
		l.received(n.Payload)
	}
	return nil
}

// probe sends a notification as every node does, and waits until it arrives.
func (l *listener) probe(ctx context.Context) error {
	l.probed = probePrefix + rand.Text()
	if err := l.db.Notify(ctx, l.channel, l.probed); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, l.db.Timeout(notifyTimeout))
	defer cancel()
	for l.probed != "" {
		err := l.next(ctx, wait)
		if errors.Is(err, errSilent) {
			return ErrNotDelivered
		}
		if err != nil {
			return err
		}
	}
	return nil
}
