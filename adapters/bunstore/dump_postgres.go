package bunstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// dumpSettings makes the text form of values independent of the server's settings.
func (d postgresDialect) dumpSettings() []string {
	return []string{
		d.disableTimeouts() + "; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL timezone = 'UTC'; " +
			"SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8'",
	}
}

func (postgresDialect) tableBytes() string {
	return "SELECT coalesce(pg_total_relation_size(to_regclass(?)), 0)"
}

func (postgresDialect) lastIDs() (exists, query string) {
	return "", `SELECT c.table_name AS "table", coalesce(s.last_value, s.start_value - 1) AS id
		FROM information_schema.columns c JOIN pg_sequences s
			ON s.schemaname = c.table_schema AND pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) =
				quote_ident(s.schemaname) || '.' || quote_ident(s.sequencename)
		WHERE c.table_schema = current_schema() AND c.is_identity = 'YES'`
}

// onPostgres runs fn with the connection of a transaction.
func onPostgres(t *Tx, fn func(c *pgconn.PgConn) error) error {
	return t.conn.Raw(func(driverConn any) error {
		c, ok := driverConn.(*postgresConn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", driverConn)
		}
		return fn(c.pg())
	})
}

func (postgresDialect) dump(ctx context.Context, t *Tx, r Relation, query string, fn func(Row) error) error {
	lines := &copyReader{types: r.types, fn: fn}
	return onPostgres(t, func(c *pgconn.PgConn) error {
		_, err := c.CopyTo(ctx, lines, "COPY ("+query+") TO STDOUT")
		if lines.err != nil {
			return lines.err
		}
		return err
	})
}

// copyReader reads rows in the text format of COPY: a line per row, with tabs between values and backslashes before
// special characters.
type copyReader struct {
	types []string
	fn    func(Row) error
	rest  []byte // the beginning of a line
	row   Row
	value []byte
	err   error
}

// Write implements io.Writer.
func (c *copyReader) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			return n, nil
		}
		line := p[:i]
		if len(c.rest) > 0 {
			c.rest = append(c.rest, line...)
			line = c.rest
		}
		if c.err = c.line(line); c.err != nil {
			return 0, c.err
		}
		c.rest, p = c.rest[:0], p[i+1:]
	}
}

func (c *copyReader) line(line []byte) error {
	c.row = c.row[:0]
	for i, kind := range c.types {
		field := line
		if at := bytes.IndexByte(line, '\t'); at >= 0 {
			field, line = line[:at], line[at+1:]
		} else if i < len(c.types)-1 {
			return errRow
		}
		if err := c.field(kind, field); err != nil {
			return err
		}
	}
	return c.fn(c.row)
}

func (c *copyReader) field(kind string, field []byte) error {
	if bytes.Equal(field, []byte(`\N`)) {
		c.row = append(c.row, rowNull)
		return nil
	}
	c.value = unescape(c.value[:0], field)
	switch kind {
	case "bigint", "integer", "smallint":
		n, err := strconv.ParseInt(string(c.value), 10, 64)
		if err != nil {
			return err
		}
		c.row = c.row.appendInt(n)
	case "boolean":
		c.row = c.row.appendInt(int64(bytes.Compare(c.value, []byte("f"))))
	case "bytea":
		b, err := hex.AppendDecode(nil, bytes.TrimPrefix(c.value, []byte(`\x`)))
		if err != nil {
			return err
		}
		c.row = c.row.appendBytes(b)
	case "timestamp with time zone":
		if !bytes.HasSuffix(c.value, []byte("+00")) {
			return fmt.Errorf("the time %q cannot be copied", c.value)
		}
		c.row = c.row.appendText(string(append(c.value, ":00"...)))
	case "double precision", "real":
		f, err := strconv.ParseFloat(string(c.value), 64)
		if err != nil {
			return err
		}
		c.row = c.row.appendFloat(f)
	case "text", "character varying", "json", "name":
		c.row = c.row.appendText(string(c.value))
	default:
		return fmt.Errorf("columns of the type %s cannot be copied", kind)
	}
	return nil
}

// unescaped are the characters that COPY writes as a backslash and a letter.
var unescaped = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

func unescape(to, field []byte) []byte {
	for {
		i := bytes.IndexByte(field, '\\')
		if i < 0 || i == len(field)-1 {
			return append(to, field...)
		}
		to = append(to, field[:i]...)
		c := field[i+1]
		if special, ok := unescaped[c]; ok {
			c = special
		}
		to, field = append(to, c), field[i+2:]
	}
}

var escaped = func() (all [256]byte) {
	for letter, c := range unescaped {
		all[c] = letter
	}
	all['\\'] = '\\'
	return all
}()

func escape[T string | []byte](to []byte, text T) []byte {
	for i := range len(text) {
		if letter := escaped[text[i]]; letter != 0 {
			to = append(to, '\\', letter)
		} else {
			to = append(to, text[i])
		}
	}
	return to
}

// copyWriter is a reader of rows in the text format of COPY.
type copyWriter struct {
	next    func() (Row, error)
	columns int
	rows    int64
	buffer  []byte
	at      int
}

// Read implements io.Reader.
func (c *copyWriter) Read(p []byte) (int, error) {
	for c.at == len(c.buffer) {
		row, err := c.next()
		if err != nil {
			return 0, err
		}
		c.buffer, c.at = c.buffer[:0], 0
		if c.buffer, err = appendCopy(c.buffer, row, c.columns); err != nil {
			return 0, err
		}
		c.rows++
	}
	n := copy(p, c.buffer[c.at:])
	c.at += n
	return n, nil
}

func appendCopy(to []byte, row Row, columns int) ([]byte, error) {
	for i := range columns {
		if i > 0 {
			to = append(to, '\t')
		}
		value, rest, err := row.next()
		if err != nil {
			return nil, err
		}
		row = rest
		switch v := value.(type) {
		case nil:
			to = append(to, `\N`...)
		case int64:
			to = strconv.AppendInt(to, v, 10)
		case float64:
			to = strconv.AppendFloat(to, v, 'g', -1, 64)
		case string:
			to = escape(to, v)
		case []byte:
			to = hex.AppendEncode(append(to, `\\x`...), v)
		}
	}
	if len(row) > 0 {
		return nil, errRow
	}
	return append(to, '\n'), nil
}

func (d postgresDialect) load(
	ctx context.Context, db *DB, r Relation, next func() (Row, error),
) (n int64, err error) {
	t, _, err := db.Begin(ctx, Changing, d.loadSettings(), "TRUNCATE "+quoted(r.Name))
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	columns := make([]byte, 0, 100)
	for i, c := range r.Columns {
		if i > 0 {
			columns = append(columns, ", "...)
		}
		columns = append(columns, quoted(c)...)
	}
	from := &copyWriter{next: next, columns: len(r.Columns)}
	err = onPostgres(t, func(c *pgconn.PgConn) error {
		_, err := c.CopyFrom(ctx, from, "COPY "+quoted(r.Name)+" ("+string(columns)+") FROM STDIN")
		return err
	})
	if err != nil {
		return 0, err
	}
	return from.rows, t.Commit(ctx)
}

func (postgresDialect) setLastID(table string, last int64) []string {
	return []string{fmt.Sprintf(`SELECT setval(pg_get_serial_sequence(quote_ident(c.table_name), c.column_name), %d)
		FROM information_schema.columns c
		WHERE c.table_schema = current_schema() AND c.table_name = '%s' AND c.is_identity = 'YES'`, last, table)}
}

func (postgresDialect) indexes() string {
	return `SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
		WHERE i.schemaname = current_schema() AND i.tablename = ? AND NOT EXISTS (
			SELECT FROM pg_constraint c JOIN pg_class x ON x.oid = c.conindid
			WHERE x.relname = i.indexname AND x.relnamespace = current_schema()::regnamespace)
		ORDER BY 1`
}

// loadSettings makes commits not wait for the disk. The last one does, and comes after all others there, too.
func (d postgresDialect) loadSettings() string {
	return d.disableTimeouts() + "; SET LOCAL synchronous_commit = off"
}

func (postgresDialect) beforeLoad(context.Context, *DB) error { return nil }

func (postgresDialect) afterLoad(ctx context.Context, db *DB) error {
	return db.runAll(ctx, []string{"ANALYZE"})
}
