package cli_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// replace replaces the content of a file, or moves it away if the content is empty.
func (p *patient) replace(path, content string) (undo func()) {
	old, err := os.ReadFile(path)
	p.must(err)
	p.must(os.Remove(path))
	if content != "" {
		p.must(os.WriteFile(path, []byte(content), 0o600))
	}
	return func() { p.must(os.WriteFile(path, old, 0o600)) }
}

func writeConfig(p *patient) func() {
	p.must(os.WriteFile(filepath.Join(p.dir, "former.yaml"),
		[]byte("modules: {standard: {}, farewells: {}}\n"), 0o600))
	return func() {}
}

// open opens the SQLite database without the server's settings.
func (p *patient) open() *sql.DB {
	db, err := sql.Open("sqlite", filepath.Join(p.dir, "stoa.db"))
	p.must(err)
	db.SetMaxOpenConns(1)
	return db
}

// run runs statements on a connection of its own.
func (p *patient) run(statements ...string) {
	p.t.Helper()
	db := p.open()
	for _, s := range statements {
		if _, err := db.ExecContext(p.t.Context(), s); err != nil {
			p.t.Fatalf("%s: %v", s, err)
		}
	}
	p.must(db.Close())
}

// damagePage overwrites the first page of an index.
func damagePage(p *patient) func() {
	var page, size int64
	db := p.open()
	p.must(db.QueryRowContext(p.t.Context(), `SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size
		WHERE name = 'preview_pages_read'`).Scan(&page, &size))
	p.must(db.Close()) // empties the write-ahead log
	f, err := os.OpenFile(filepath.Join(p.dir, "stoa.db"), os.O_RDWR, 0)
	p.must(err)
	old := make([]byte, 100)
	_, err = f.ReadAt(old, (page-1)*size)
	p.must(err)
	_, err = f.WriteAt(slices.Repeat([]byte{0xff}, len(old)), (page-1)*size)
	p.must(err)
	return func() {
		_, err := f.WriteAt(old, (page-1)*size)
		p.must(err)
		p.must(f.Close())
	}
}

// loseEntry inserts a row while its index is not in the schema.
func loseEntry(p *patient) func() {
	var root int64
	var definition string
	db := p.open()
	p.must(db.QueryRowContext(p.t.Context(), `SELECT rootpage, sql FROM sqlite_schema WHERE name = 'drafts_user'`).
		Scan(&root, &definition))
	p.must(db.Close())
	p.run(`PRAGMA writable_schema = ON`, `DELETE FROM sqlite_schema WHERE name = 'drafts_user'`)
	p.run(`INSERT INTO drafts (realm_id, user_id, kind, recipients, topic, content, edited_at)
		VALUES (1, 4, '', '[]', '', 'x', '2020-01-01 00:00:00+00:00')`)
	p.run(`PRAGMA writable_schema = ON`, fmt.Sprintf(`INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
		VALUES ('index', 'drafts_user', 'drafts', %d, '%s')`, root, definition))
	return nil
}

// growWAL makes the write-ahead log large, and keeps it open.
func growWAL(p *patient) func() {
	db := p.open()
	_, err := db.ExecContext(p.t.Context(), `UPDATE realms SET string_id = string_id`)
	p.must(err)
	p.must(os.Truncate(filepath.Join(p.dir, "stoa.db-wal"), 300<<20))
	p.t.Cleanup(func() { _ = db.Close() })
	return nil
}

func wasteSpace(p *patient) func() {
	p.run(`CREATE TABLE filler (x)`, `INSERT INTO filler VALUES (zeroblob(60 << 20))`, `DROP TABLE filler`)
	return nil
}
