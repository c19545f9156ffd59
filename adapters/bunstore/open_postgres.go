package bunstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"golang.org/x/sync/semaphore"
)

// postgresURL reports whether a database URL names a PostgreSQL database, as a URL or in libpq's keyword/value form.
func postgresURL(url string) bool {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return true
	}
	key, _, ok := strings.Cut(url, "=")
	return ok && key != "" && strings.Trim(strings.TrimSpace(key), "abcdefghijklmnopqrstuvwxyz_") == ""
}

// openPostgres uses pgx with the simple protocol. pgdriver is slightly faster per statement, but cannot send several
// statements in one text, which lets a batch begin and commit in one round trip each. Other protocol modes would
// prepare every statement anew, since bun interpolates the arguments.
func openPostgres(ctx context.Context, c Config) (*DB, error) {
	cfg, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	// Poolers know these two parameters. Everything else is set by sessionSettings.
	cfg.RuntimeParams["timezone"] = "UTC"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "stoa"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	cfg.OnNotification = ignoreNotification
	cfg.ValidateConnect = inspect // replaces the one of target_session_attrs: a server that only reads is of no use
	if strings.Contains(hosts(cfg), ",") {
		cfg.DialFunc = (&dialer{dial: cfg.DialFunc}).Dial
	}
	conns := c.MaxConns
	if conns == 0 {
		conns = 16
	}
	batching := max(2, conns/4)
	changing := max(2, conns*5/16)
	reading := max(2, conns-batching-changing)

	db := &DB{observe: c.Observe, patience: c.Patience}
	settings := sessionSettings(db.Timeout, cfg.RuntimeParams)
	db.dialect = postgresDialect{settings: settings, hungAfter: milliseconds(db.Timeout(hungAfter))}
	node := &connectors{}
	open := func(p Purpose, conns, floor int) *bun.DB {
		cfg := cfg.Copy()
		cfg.AfterConnect = settings[p].apply
		pool := node.open(poolConfig{
			Connector: sessions{stdlib.GetConnector(*cfg), settings[p]}, cfg: cfg, maxConns: conns, floor: floor,
		})
		return newPool(pool, pgdialect.New(), conns, c.Observe)
	}
	db.pools = [pools]*bun.DB{
		Reading:  open(Reading, reading, 2), // some reads need a second connection
		Changing: open(Changing, changing, 1),
		Batching: open(Batching, batching, 1),
	}
	db.lines[Changing], db.lines[Batching] = semaphore.NewWeighted(int64(changing)),
		semaphore.NewWeighted(int64(batching))
	if db.notifications, err = openNotifications(c.URL, c.NotifyURL); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if c.Lazy {
		return db, nil
	}
	if err := db.open(ctx); err != nil {
		return nil, explain(cfg, err)
	}
	return db, nil
}
