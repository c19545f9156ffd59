package bunstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// openPostgres uses pgx with the simple protocol. pgdriver is slightly faster per statement, but cannot send several
// statements in one text, which lets a batch begin and commit in one round trip each. Other protocol modes would
// prepare every statement anew, since bun interpolates the arguments.
func openPostgres(ctx context.Context, c Config) (*DB, error) {
	cfg, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	cfg.RuntimeParams["timezone"] = "UTC"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "stoa"
	}
	if cfg.RuntimeParams["jit"] == "" { // JIT compilation would take longer than the statements themselves
		cfg.RuntimeParams["jit"] = "off"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	conns := c.MaxConns
	if conns == 0 {
		conns = 16
	}
	batching := max(2, conns/4)
	changing := max(2, conns*5/16)
	reading := max(2, conns-batching-changing)
	db := &DB{dialect: postgresDialect{}, observe: c.Observe, patience: c.Patience}
	limit := func(d time.Duration) string { return strconv.FormatInt(db.Timeout(d).Milliseconds(), 10) }
	db.pools = [pools]*bun.DB{
		// Writing outside of Do fails immediately, as on SQLite.
		Reading: postgresPool(
			cfg,
			reading,
			c.Observe,
			map[string]string{"default_transaction_read_only": "on", "statement_timeout": limit(time.Minute)},
		),
		Changing: postgresPool(cfg, changing, c.Observe, map[string]string{
			"statement_timeout": limit(time.Minute), "lock_timeout": limit(10 * time.Second),
			"idle_in_transaction_session_timeout": limit(20 * time.Second),
		}),
		// A paused or disconnected node must not block a realm.
		Batching: postgresPool(cfg, batching, c.Observe, map[string]string{
			"statement_timeout": limit(5 * time.Second), "lock_timeout": limit(5 * time.Second),
			"idle_in_transaction_session_timeout": limit(2 * time.Second),
		}),
	}
	if db.notifications, err = openNotifications(c.URL, c.NotifyURL); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := db.open(ctx); err != nil {
		return nil, explain(cfg, err)
	}
	return db, nil
}

func postgresPool(cfg *pgx.ConnConfig, conns int, observe func(string), params map[string]string) *bun.DB {
	cfg = cfg.Copy()
	for k, v := range params {
		cfg.RuntimeParams[k] = v
	}
	return newPool(openPool(stdlib.GetConnector(*cfg), cfg, conns), pgdialect.New(), conns, observe)
}
