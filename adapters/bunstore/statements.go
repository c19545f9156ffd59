package bunstore

import (
	"container/list"
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// SQLite parses and plans a statement each time it is sent, which usually takes longer than running it. Bun
// interpolates arguments into the text, but many requests send statements with equal text, such as the one that reads
// the position of a realm's log. Connections cache the prepared form of these.
const (
	maxStatements = 64      // per connection
	maxLength     = 4 << 10 // in bytes; longer statements are not cached
)

// cachingConnector opens connections to SQLite that cache prepared statements.
type cachingConnector struct {
	driver.Connector
	failed func(error) // receives the errors of statements; may be nil
}

// Connect implements driver.Connector.
func (k cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(sqliteConn)
	if !ok {
		return nil, fmt.Errorf("unexpected driver connection %T", c)
	}
	return &cachingConn{sqliteConn: conn, failed: k.failed, byText: map[string]*list.Element{}, used: list.New()}, nil
}

// sqliteConn lists what the pool and Backup need from a connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	NewBackup(path string) (*sqlite.Backup, error)
}

// cachingConn caches the most recently used statements. Like any driver's connection, it is not for concurrent use.
type cachingConn struct {
	sqliteConn

	failed func(error)
	byText map[string]*list.Element
	used   *list.List // of *cachedStatement, most recently used first
}

type cachedStatement struct {
	text string
	stmt sqliteStatement
	open bool // its rows are being read
}

type sqliteStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// ExecContext implements driver.ExecerContext.
func (c *cachingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	res, err := c.exec(ctx, text, args)
	if err != nil && c.failed != nil {
		c.failed(err)
	}
	return res, err
}

func (c *cachingConn) exec(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, text, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, text, args)
	}
	res, err := s.stmt.ExecContext(ctx, args)
	if err != nil {
		c.drop(s)
	}
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *cachingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.query(ctx, text, args)
	if err != nil && c.failed != nil {
		c.failed(err)
	}
	return rows, err
}

func (c *cachingConn) query(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, text, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, text, args)
	}
	rows, err := s.stmt.QueryContext(ctx, args)
	if err != nil {
		c.drop(s)
		return nil, err
	}
	s.open = true
	return &cachedRows{Rows: rows, s: s}, nil
}

// Close closes the statements and the connection.
func (c *cachingConn) Close() error {
	for c.used.Len() > 0 {
		c.drop(c.used.Front().Value.(*cachedStatement))
	}
	return c.sqliteConn.Close()
}

// statement returns the cached statement with the given text, preparing it if necessary. It returns nil if the cached
// statement is in use, or if the text is not worth caching: with arguments or changes, it hardly ever repeats.
func (c *cachingConn) statement(
	ctx context.Context,
	text string,
	args []driver.NamedValue,
) (*cachedStatement, error) {
	if len(args) > 0 || len(text) > maxLength || !repeats(text) {
		return nil, nil
	}
	if e, ok := c.byText[text]; ok {
		s := e.Value.(*cachedStatement)
		if s.open {
			return nil, nil
		}
		c.used.MoveToFront(e)
		return s, nil
	}
	if c.used.Len() >= maxStatements {
		last := c.used.Back().Value.(*cachedStatement)
		if last.open {
			return nil, nil
		}
		c.drop(last)
	}
	prepared, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	stmt, ok := prepared.(sqliteStatement)
	if !ok {
		return nil, fmt.Errorf("unexpected driver statement %T", prepared)
	}
	s := &cachedStatement{text: text, stmt: stmt}
	c.byText[text] = c.used.PushFront(s)
	return s, nil
}

// repeats reports whether a statement is likely to be sent again with the same text.
func repeats(text string) bool {
	for _, word := range []string{"SELECT ", "WITH ", "BEGIN", "COMMIT", "ROLLBACK"} {
		if strings.HasPrefix(text, word) {
			return !strings.Contains(text, ";") // scripts are not cached
		}
	}
	return false
}

// drop closes a statement and removes it from the cache. The statement itself has already reported any error.
func (c *cachingConn) drop(s *cachedStatement) {
	if e, ok := c.byText[s.text]; ok && e.Value == s {
		c.used.Remove(e)
		delete(c.byText, s.text)
	}
	_ = s.stmt.Close()
}

// cachedRows are the rows of a cached statement, which must not run again before they are closed.
type cachedRows struct {
	driver.Rows

	s *cachedStatement
}

// Close implements driver.Rows.
func (r *cachedRows) Close() error {
	r.s.open = false
	return r.Rows.Close()
}
