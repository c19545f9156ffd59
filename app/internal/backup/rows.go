package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/ids"
)

// maxRow is the maximum size of a row in bytes.
const maxRow = 1 << 30

// rowReader reads the rows of a table and verifies them.
type rowReader struct {
	t     Table
	r     *bufio.Reader
	sum   hash.Hash
	rows  int64
	row   []byte
	size  []byte
	check *checker
}

func newRowReader(t Table, r io.Reader) *rowReader {
	return &rowReader{t: t, r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New(), check: newChecker(t.Relation)}
}

// next returns the next row, which is valid until the next call, or io.EOF after the last one.
func (r *rowReader) next() (bunstore.Row, error) {
	n, err := binary.ReadUvarint(r.r)
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.end()
	case err != nil:
		return nil, fmt.Errorf("read the rows of %s: %w", r.t.Name, err)
	case n > maxRow:
		return nil, fmt.Errorf("read the rows of %s: a row with %d bytes", r.t.Name, n)
	}
	r.row = slices.Grow(r.row[:0], int(n))[:n]
	if _, err := io.ReadFull(r.r, r.row); err != nil {
		return nil, fmt.Errorf("read the rows of %s: %w", r.t.Name, err)
	}
	r.size = binary.AppendUvarint(r.size[:0], n)
	r.sum.Write(r.size)
	r.sum.Write(r.row)
	r.rows++
	return r.row, r.check.row(r.row)
}

// end compares what was read with what was written.
func (r *rowReader) end() error {
	if r.rows != r.t.Rows {
		return fmt.Errorf("the table %s has %d rows instead of %d", r.t.Name, r.rows, r.t.Rows)
	}
	if hex.EncodeToString(r.sum.Sum(nil)) != r.t.Content {
		return fmt.Errorf("the rows of %s are not those that were written", r.t.Name)
	}
	return io.EOF
}

// logTable is the table with the entries of the logs.
const logTable = "realm_events"

// auditTable is the table with the ends of the audit logs.
const auditTable = "audit_heads"

// checker checks that logs have no gaps, and collects the ends of the audit logs. For other tables, it does nothing.
type checker struct {
	columns          int
	realm, seq, hash int // the indexes of the columns; -1: the table lacks it, or is not one of these
	ends
}

// ends are the ends of the logs of all realms.
type ends struct {
	logs  []Log
	audit []audit.Head
}

func newChecker(r bunstore.Relation) *checker {
	c := &checker{len(r.Columns), -1, -1, -1, ends{}}
	if r.Name == logTable || r.Name == auditTable {
		c.realm, c.seq = slices.Index(r.Columns, "realm_id"), slices.Index(r.Columns, "seq")
	}
	if r.Name == auditTable {
		c.hash = slices.Index(r.Columns, "hash")
	}
	return c
}

func (c *checker) row(row bunstore.Row) error {
	if c.realm < 0 || c.seq < 0 {
		return nil
	}
	values, err := row.Values(c.columns)
	if err != nil {
		return err
	}
	realm, _ := values[c.realm].(int64)
	seq, _ := values[c.seq].(int64)
	if c.hash >= 0 {
		hash, _ := values[c.hash].(string)
		c.audit = append(c.audit, audit.Head{Realm: ids.Realm(realm), Seq: seq, Hash: hash})
		return nil
	}
	if n := len(c.logs); n == 0 || c.logs[n-1].Realm != realm {
		c.logs = append(c.logs, Log{Realm: realm, First: seq, Head: seq})
		return nil
	}
	last := &c.logs[len(c.logs)-1]
	if seq != last.Head+1 {
		return fmt.Errorf("the log of organization %d has a gap between %d and %d", realm, last.Head, seq)
	}
	last.Head = seq
	return nil
}
