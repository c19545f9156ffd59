package nodes

import (
	"context"
	"embed"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations of the table nodes.
func Migrations() bunstore.Migrations { return bunstore.Migrations{Module: "nodes", FS: migrations} }

// row is a node's row.
type row struct {
	bun.BaseModel `bun:"table:nodes,alias:n"`
	ID            string `bun:",pk"`
	Kind          string
	Version       string
	Schema        string
	Host          string
	PID           int `bun:"pid"`
	Beat          int64
	StartedAt     time.Time
	RenewedAt     time.Time
	Modules       string  // of a server: the names of its modules, separated by spaces
	Maintenance   *string `bun:",scanonly"` // of all nodes; only read by look
}

// Info describes a process that uses the database, or did until it died.
type Info struct {
	Kind    string    `json:"kind"` // serve, or the name of a command
	Version string    `json:"version"`
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Seen    time.Time `json:"last_seen"` // by its own clock
}

func infos(rows []row) []Info {
	all := make([]Info, len(rows))
	for i, r := range rows {
		all[i] = Info{r.Kind, r.Version, r.Host, r.PID, r.RenewedAt.UTC()}
	}
	return all
}

// List returns the processes that use the database.
func List(ctx context.Context, db *bunstore.DB) ([]Info, error) {
	rows, err := store{db}.all(ctx)
	return infos(rows), err
}

type store struct{ db *bunstore.DB }

// all returns all rows, or nothing if the table does not exist yet. It reads only the columns of the first migration,
// because it runs before an upgrade, or the rest of an interrupted one, has added the others.
func (s store) all(ctx context.Context) ([]row, error) {
	exists, err := s.db.HasTable(ctx, "nodes")
	if err != nil || !exists {
		return nil, err
	}
	var rows []row
	err = s.db.From(ctx).NewSelect().Model(&rows).
		Column("id", "kind", "version", "schema", "host", "pid", "beat", "started_at", "renewed_at").
		Order("started_at", "id").Scan(ctx)
	return rows, err
}

// look returns all rows and, in each of them, the message of maintenance.
func (s store) look(ctx context.Context) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).ColumnExpr("?TableColumns").
		ColumnExpr("(SELECT message FROM maintenance) AS maintenance").Scan(ctx)
	return rows, err
}

func (s store) insert(ctx context.Context, r row) error {
	_, err := s.db.From(ctx).NewInsert().Model(&r).Exec(ctx)
	return err
}

// renew renews a row. It returns false if another node has deleted it.
func (s store) renew(ctx context.Context, id string, now time.Time) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("beat = beat + 1").
		Set("renewed_at = ?", now).
		Where("id = ?", id).Exec(ctx))
}

// remove deletes a row. It returns false if it does not exist.
func (s store) remove(ctx context.Context, id string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Exec(ctx))
}

// free empties the holders of a lease that have no row.
func (s store) free(ctx context.Context, l kit.Lease, now time.Time) error {
	q := s.db.From(ctx).NewUpdate().Table(l.Table).Set("? = ''", bun.Ident(l.Column)).
		Where("? <> ''", bun.Ident(l.Column)).Where("? NOT IN (SELECT id FROM nodes)", bun.Ident(l.Column))
	if l.Due != "" {
		q = q.Set("? = ?", bun.Ident(l.Due), now)
	}
	_, err := q.Exec(ctx)
	return err
}

// evict deletes the row of a dead node. It returns false if the row has changed.
func (s store) evict(ctx context.Context, r row) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", r.ID).
		Where("beat = ?", r.Beat).Exec(ctx))
}

// Forget deletes the rows of all nodes, which ran on another database of which this is a copy.
func Forget(ctx context.Context, db *bunstore.DB) error {
	_, err := db.From(ctx).NewDelete().Model((*row)(nil)).Where("true").Exec(ctx)
	return err
}

// Serving is a server that uses a database.
type Serving struct {
	ID        string
	Host      string
	Version   string
	RenewedAt time.Time // by its own clock
}

// AllServing returns the servers that use the database, including those that have died recently.
func AllServing(ctx context.Context, db *bunstore.DB) ([]Serving, error) {
	rows, err := store{db}.all(ctx)
	var out []Serving
	for _, r := range rows {
		if r.Kind == "serve" {
			out = append(out, Serving{r.ID, r.Host, r.Version, r.RenewedAt})
		}
	}
	return out, err
}

// Free empties the columns whose nodes have died.
func Free(ctx context.Context, db *bunstore.DB, leases []kit.Lease, now time.Time) error {
	for _, l := range leases {
		if err := (store{db}).free(ctx, l, now); err != nil {
			return err
		}
	}
	return nil
}
