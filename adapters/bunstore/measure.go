package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"modernc.org/sqlite"

	"github.com/stoachat/stoa/ports"
)

// measures are the instruments of a database. They are nil while metrics are off.
type measures struct {
	clock  ports.Clock
	traces *ports.Traces    // nil: off
	took   *ports.Histogram // by class of the statement
	busy   *ports.Counter
}

// classes are the values of the label class: the first word of a statement, or schema for those of migrations. Several
// statements in one round trip have the class of the last one.
var classes = []string{"select", "insert", "update", "delete", "with", "begin", "commit", "rollback", "schema"}

func classOf(statement string) string {
	word := strings.TrimLeft(statement, " \n\t(")
	if end := strings.IndexAny(word, " \n\t;("); end >= 0 {
		word = word[:end]
	}
	if i := slices.IndexFunc(classes, func(c string) bool { return strings.EqualFold(c, word) }); i >= 0 {
		return classes[i]
	}
	return "schema" // CREATE, ALTER, DROP, PRAGMA and comments
}

// Measure begins to measure and trace the database. Call it before the first use; without metrics and traces, it
// changes nothing.
func (db *DB) Measure(m *ports.Metrics, t *ports.Traces, clock ports.Clock) {
	if m == nil && t == nil {
		return
	}
	if db.unmeasured == nil {
		pools := db.pools
		db.unmeasured = &pools
	}
	db.m = measures{
		clock:  clock,
		traces: t,
		took: m.Histogram(ports.Instrument{Name: "stoa_db_query_duration_seconds",
			Labels: []ports.Label{{Name: "class", Values: classes}},
			Help:   "Duration of a round trip to the database, by kind of its last statement."}),
		busy: m.Counter(ports.Instrument{Name: "stoa_sqlite_busy_total",
			Help: "Statements that failed because another connection kept SQLite's database locked."}),
	}
	hooked := map[*bun.DB]*bun.DB{}
	for p, pool := range db.unmeasured {
		if hooked[pool] == nil {
			hooked[pool] = pool.WithQueryHook(hook{db})
		}
		db.pools[p] = hooked[pool]
	}
	db.measurePools(m)
	m.Gauge(ports.Instrument{Name: "stoa_sqlite_wal_bytes", Help: "Size of SQLite's write-ahead log."},
		func(_ context.Context, set ports.SetValue) error {
			if db.file == nil {
				return nil
			}
			info, err := os.Stat(db.file.path + "-wal")
			if err == nil {
				set(float64(info.Size()))
			}
			return nil
		})
}

func (db *DB) measurePools(m *ports.Metrics) {
	stats := func() (all sql.DBStats) {
		seen := map[*bun.DB]bool{}
		for _, p := range db.unmeasured {
			if seen[p] {
				continue
			}
			seen[p] = true
			s := p.Stats()
			all.MaxOpenConnections += s.MaxOpenConnections
			all.InUse += s.InUse
			all.Idle += s.Idle
			all.WaitDuration += s.WaitDuration
		}
		return all
	}
	m.Gauge(ports.Instrument{
		Name: "stoa_db_connections", Labels: []ports.Label{{Name: "state", Values: []string{"in_use", "idle", "unopened"}}},
		Help: "Connections to the database, by state; their sum is the number that this node may open.",
	}, func(_ context.Context, set ports.SetValue) error {
		s := stats()
		set(float64(s.InUse), "in_use")
		set(float64(s.Idle), "idle")
		set(float64(max(0, s.MaxOpenConnections-s.InUse-s.Idle)), "unopened")
		return nil
	})
	m.Total(ports.Instrument{Name: "stoa_db_wait_seconds_total", Help: "Time spent waiting for a free connection."},
		func(_ context.Context, set ports.SetValue) error { set(stats().WaitDuration.Seconds()); return nil })
}

// ran measures a round trip.
func (m *measures) ran(begun time.Time, statement string, err error) {
	if m.clock == nil {
		return
	}
	m.took.Took(m.clock.Now().Sub(begun), classOf(statement))
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code()&0xff == sqliteBusy {
		m.busy.Add(1)
	}
}

const sqliteBusy = 5

// begin returns the time if it is needed.
func (m *measures) begin() time.Time {
	if m.clock == nil {
		return time.Time{}
	}
	return m.clock.Now()
}

// hook measures the queries of stores.
type hook struct{ db *DB }

type begunKey struct{}

type begunQuery struct {
	at   time.Time
	span *ports.Span
}

// BeforeQuery implements bun.QueryHook.
func (h hook) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	ctx, span := h.db.m.traces.Within(ctx, ports.SpanStatement, classOf(e.Query))
	if span != nil && e.IQuery != nil {
		if table := e.IQuery.GetTableName(); table != "" {
			span.Label("db.collection.name", table)
		}
	}
	return context.WithValue(ctx, begunKey{}, begunQuery{h.db.m.begin(), span})
}

// AfterQuery implements bun.QueryHook.
func (h hook) AfterQuery(ctx context.Context, e *bun.QueryEvent) {
	begun, _ := ctx.Value(begunKey{}).(begunQuery)
	h.db.m.ran(begun.at, e.Query, e.Err)
	if errors.Is(e.Err, sql.ErrNoRows) {
		begun.span.End(nil)
	} else {
		begun.span.End(e.Err)
	}
}
