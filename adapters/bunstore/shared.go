package bunstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// sessions opens connections as postgresConn.
type sessions struct {
	driver.Connector
	settings settings
}

// Connect implements driver.Connector.
func (s sessions) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("unexpected driver connection %T", c), c.Close())
	}
	return &postgresConn{Conn: conn, settings: s.settings, shared: isShared(conn.Conn().PgConn())}, nil
}

// postgresConn is a connection to PostgreSQL, or to a pooler that shares sessions between its clients. In a shared
// session, settings are sent with each statement outside of a transaction: the statements of one text are a transaction
// of their own, and take one round trip.
type postgresConn struct {
	*stdlib.Conn
	settings settings
	shared   bool
	reset    func(context.Context, *postgresConn) error // called before the connection is reused; may be nil
}

// begin returns what follows BEGIN.
func (c *postgresConn) begin() string {
	if !c.shared {
		return ""
	}
	return c.settings.begin
}

func (c *postgresConn) pg() *pgconn.PgConn { return c.Conn.Conn().PgConn() }

// alone reports whether a statement is not part of a transaction in a shared session.
func (c *postgresConn) alone() bool { return c.shared && c.pg().TxStatus() == 'I' }

var errArguments = errors.New("bunstore: arguments must be interpolated")

// QueryContext implements driver.QueryerContext.
func (c *postgresConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if !c.alone() {
		rows, err := c.Conn.QueryContext(ctx, text, args)
		if own, ok := rows.(*stdlib.Rows); ok {
			return connRows{own}, nil
		}
		return rows, ofConn(err)
	}
	results, err := c.send(ctx, text, args)
	if err != nil {
		return nil, err
	}
	for results.NextResult() {
		r := results.ResultReader()
		if len(r.FieldDescriptions()) > 0 {
			rows := &sharedRows{results: results, reader: r, types: c.Conn.Conn().TypeMap()}
			rows.more = r.NextRow() // as in pgx, so that an error of the statement is reported here
			if rows.more {
				return rows, nil
			}
			return rows, badConn(rows.end())
		}
		if _, err := r.Close(); err != nil {
			break
		}
	}
	return &sharedRows{ended: true}, badConn(results.Close())
}

// badConn returns driver.ErrBadConn if a statement on a broken connection can be sent again, as pgx does.
func badConn(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return ofConn(err)
}

// ExecContext implements driver.ExecerContext.
func (c *postgresConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if !c.alone() {
		done, err := c.Conn.ExecContext(ctx, text, args)
		return done, ofConn(err)
	}
	results, err := c.send(ctx, text, args)
	if err != nil {
		return nil, err
	}
	all, err := results.ReadAll()
	if err != nil {
		return nil, badConn(err)
	}
	return driver.RowsAffected(all[len(all)-1].CommandTag.RowsAffected()), nil
}

func (c *postgresConn) send(
	ctx context.Context,
	text string,
	args []driver.NamedValue,
) (*pgconn.MultiResultReader, error) {
	switch {
	case len(args) > 0:
		return nil, errArguments
	case c.pg().IsClosed():
		return nil, driver.ErrBadConn
	}
	return c.pg().Exec(ctx, c.settings.read+text), nil
}

// BeginTx implements driver.ConnBeginTx. Transactions are opened by DB.Begin.
func (c *postgresConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errNested
}

// ResetSession implements driver.SessionResetter.
func (c *postgresConn) ResetSession(ctx context.Context) error {
	if err := c.Conn.ResetSession(ctx); err != nil || c.reset == nil {
		return err
	}
	return c.reset(ctx, c)
}

// sharedRows are the rows of a statement that was sent with settings. Values have the same types as those of pgx.
type sharedRows struct {
	results *pgconn.MultiResultReader
	reader  *pgconn.ResultReader
	types   *pgtype.Map
	decode  []func(text []byte) (driver.Value, error)
	more    bool // the reader is at a row that Next has not returned
	ended   bool
}

// Columns implements driver.Rows.
func (r *sharedRows) Columns() []string {
	if r.reader == nil {
		return nil
	}
	var names []string
	for _, f := range r.reader.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names
}

// Close implements driver.Rows.
func (r *sharedRows) Close() error {
	if r.ended {
		return nil
	}
	return r.end()
}

func (r *sharedRows) end() error {
	r.ended = true
	_, err := r.reader.Close()
	if last := r.results.Close(); err == nil { // usually the same error
		err = last
	}
	return err
}

// Next implements driver.Rows.
func (r *sharedRows) Next(dest []driver.Value) error {
	if r.ended {
		return io.EOF
	}
	if !r.more && !r.reader.NextRow() {
		if err := r.end(); err != nil {
			return ofConn(err)
		}
		return io.EOF
	}
	r.more = false
	if r.decode == nil {
		for _, f := range r.reader.FieldDescriptions() {
			r.decode = append(r.decode, decoder(r.types, f.DataTypeOID))
		}
	}
	for i, text := range r.reader.Values() {
		dest[i] = nil
		if text == nil {
			continue
		}
		var err error
		if dest[i], err = r.decode[i](text); err != nil {
			return fmt.Errorf("convert field %d failed: %w", i, err)
		}
	}
	return nil
}

// decoder returns the function that converts a text of PostgreSQL to the value that pgx returns to database/sql.
func decoder(m *pgtype.Map, oid uint32) func([]byte) (driver.Value, error) {
	switch oid {
	case pgtype.BoolOID:
		return decodeAs(m, oid, func(v bool) (driver.Value, error) { return v, nil })
	case pgtype.ByteaOID, pgtype.JSONOID, pgtype.JSONBOID, pgtype.XMLOID:
		return decodeAs(m, oid, func(v []byte) (driver.Value, error) { return v, nil })
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return decodeAs(m, oid, func(v int64) (driver.Value, error) { return v, nil })
	case pgtype.OIDOID, pgtype.CIDOID, pgtype.XIDOID:
		return decodeAs(m, oid, func(v pgtype.Uint32) (driver.Value, error) { return v.Value() })
	case pgtype.Float4OID:
		return decodeAs(m, oid, func(v float32) (driver.Value, error) { return float64(v), nil })
	case pgtype.Float8OID:
		return decodeAs(m, oid, func(v float64) (driver.Value, error) { return v, nil })
	case pgtype.DateOID:
		return decodeAs(m, oid, func(v pgtype.Date) (driver.Value, error) { return v.Value() })
	case pgtype.TimestampOID:
		return decodeAs(m, oid, func(v pgtype.Timestamp) (driver.Value, error) { return v.Value() })
	case pgtype.TimestamptzOID:
		return decodeAs(m, oid, func(v pgtype.Timestamptz) (driver.Value, error) { return v.Value() })
	}
	return func(text []byte) (driver.Value, error) { return string(text), nil }
}

func decodeAs[T any](
	m *pgtype.Map, oid uint32, value func(T) (driver.Value, error),
) func([]byte) (driver.Value, error) {
	var plan pgtype.ScanPlan
	return func(text []byte) (driver.Value, error) {
		var v T
		if plan == nil {
			plan = m.PlanScan(oid, pgtype.TextFormatCode, &v)
		}
		if err := plan.Scan(text, &v); err != nil {
			return nil, err
		}
		return value(v)
	}
}
