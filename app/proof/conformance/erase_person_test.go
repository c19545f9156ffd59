package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// fillRows adds a made-up row to each table with rows of users in which the person has none, so that all are covered.
func (p *person) fillRows(t *testing.T) {
	t.Helper()
	for _, table := range p.s.Ports.Collected.Tables() {
		i := slices.IndexFunc(table.People, func(n kit.Naming) bool { return n.Erased == kit.EraseRow })
		if i < 0 || p.rowsOf(t, table.Name, table.People[i].Column) > 0 {
			continue
		}
		at := &place{realm: p.s.Realm, ids: map[string]string{"user": fmt.Sprint(p.id)}}
		table.Owner = kit.Owner{Of: kit.OfUser, Column: table.People[i].Column}
		p.s.Do(func(ctx context.Context) error { return p.c.addRow(ctx, at, table, "") })
	}
}

func (p *person) rowsOf(t *testing.T, table, column string) int64 {
	t.Helper()
	n, err := p.c.db.From(t.Context()).NewSelect().Table(table).Where("? = ?", bun.Ident(column), p.id).Count(t.Context())
	if err != nil {
		t.Fatal(table, err)
	}
	return n
}

// run runs the command, or returns what it would do.
func (p *person) run(t *testing.T, email, messages string, ask bool) (map[string]any, error) {
	t.Helper()
	c, ok := p.s.Ports.Collected.Command("user erase")
	if !ok {
		t.Fatal("no command")
	}
	in, err := json.Marshal(map[string]string{"Email": email, "Messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	by := user.Actor{Realm: p.s.Realm, System: true}
	if ask {
		effect, err := c.Effect(t.Context(), by, in)
		return map[string]any{"text": effect.Text, "counts": effect.Counts}, err
	}
	var text bytes.Buffer
	if err := c.Run(ports.WithCaller(t.Context(), by), by, in, &text); err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text.Bytes(), &out)
}

// found lists the columns and blobs that contain one of the words, whatever their case.
func (p *person) found(t *testing.T, words ...string) []string {
	t.Helper()
	has := func(b []byte) bool {
		b = bytes.ToLower(b)
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(b, []byte(w)) })
	}
	var out []string
	for _, table := range p.tables(t) {
		rows, err := p.c.db.From(t.Context()).QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(table, err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		for rows.Next() {
			if err := rows.Scan(values...); err != nil {
				t.Fatal(table, err)
			}
			for i, v := range values {
				text := fmt.Append(nil, *v.(*any))
				if b, ok := (*v.(*any)).([]byte); ok {
					text = b
				}
				if has(text) {
					out = append(out, fmt.Sprintf("%s.%s: %.300s", table, names[i], text))
				}
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(table, err)
		}
	}
	for entry, err := range p.s.Ports.Blobs.Keys(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := p.s.Ports.Blobs.Open(t.Context(), entry.Key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if has(b) || has([]byte(entry.Key)) || strings.HasPrefix(entry.Key, "exports/") {
			out = append(out, "blob "+entry.Key)
		}
	}
	return out
}

func (p *person) tables(t *testing.T) []string {
	t.Helper()
	schema, err := p.c.db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range schema {
		all = append(all, c.Table)
	}
	if p.c.db.OneWriter() { // SQLite has tables behind that of the index of words
		all = append(all, "message_search_data", "message_search_content")
	}
	return slices.Compact(all)
}

// TestErasedPerson checks that no table and no blob has a trace of a person whose data was erased, except for messages
// that were to be kept, and that others lose nothing.
func TestErasedPerson(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		for _, messages := range []string{"keep", "delete"} {
			t.Run(messages, func(t *testing.T) { erasedPerson(t, url, messages) })
		}
	})
}

func erasedPerson(t *testing.T, url, messages string) {
	p := erasable(t, url)
	s := p.s
	p.fillRows(t)
	if all := p.found(t, trace); len(all) < 40 {
		t.Errorf("the person has left too few traces: %d", len(all))
	}

	// What would happen is said, and does not happen.
	would, err := p.run(t, personEmail, messages, true)
	counts, _ := would["counts"].(map[string]int)
	if err != nil || counts["drafts"] != 1 || counts["bots"] == 0 {
		t.Errorf("effect: %v, %v", would, err)
	}
	p.Do("GET /users/me").OK()

	// An interrupted erasure continues when it is repeated.
	p.c.broken = errors.New("out of order")
	if _, err := p.run(t, personEmail, messages, false); !errors.Is(err, p.c.broken) {
		t.Fatalf("interrupted: %v", err)
	}
	p.c.broken = nil
	p.Do("GET /users/me").Error(401, "UNAUTHORIZED", "Account is deactivated")
	done, err := p.run(t, personEmail, messages, false)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{trace, "203.0.113.9", "tongatapu"}
	if messages == "delete" {
		words = append(words, spoken)
	}
	for _, place := range p.found(t, words...) {
		t.Error(place)
	}
	for _, table := range s.Ports.Collected.Tables() {
		for _, n := range table.People {
			if n.Erased == kit.EraseRow && p.rowsOf(t, table.Name, n.Column) > 0 {
				t.Errorf("%s.%s still has rows of the person", table.Name, n.Column)
			}
		}
	}
	if a := s.Anonymous().Under("").Do("GET " + p.avatar); a.Status != 404 {
		t.Errorf("avatar: %d", a.Status)
	}

	// It can be repeated, and is in the audit log.
	address, _ := done["email"].(string)
	if _, err := p.run(t, address, messages, false); err != nil {
		t.Error(err)
	}
	if _, err := p.run(t, personEmail, messages, false); !errs.Is(err, errs.Absent("").Code) {
		t.Errorf("the former address: %v", err)
	}
	log := s.As("olga").Do("GET /audit_log", "action", "user.erased").OK()
	if log.String("entries.0.actor_kind") != "operator" || log.Has("entries.2") { // of the person and the bot
		t.Errorf("audit log: %s", log.Body)
	}
	verify, _ := s.Ports.Collected.Command("audit verify")
	if err := verify.Run(t.Context(), user.Actor{Realm: s.Realm, System: true}, []byte("{}"), io.Discard); err != nil {
		t.Error(err)
	}

	// Others still have what they had.
	s.Restart()
	s.Clock.Advance(time.Minute)
	found := s.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "100", "num_after", "0",
		"apply_markdown", "false").OK()
	for text, want := range map[string]bool{
		fmt.Sprintf("@**Deleted user|%d** hello", p.id): true, "/poll Where?": true, "second " + spoken: messages == "keep",
	} {
		if strings.Contains(found.Body, text) != want {
			t.Errorf("%q: want %v in %s", text, want, found.Body)
		}
	}
	s.As("bob").Do("GET /users/me").OK()
}

// The only owner cannot be erased, nor can a bot of the server.
func TestLastOwnerIsNotErased(t *testing.T) {
	p := &person{s: startAll(t)}
	if _, err := p.run(t, "olga@example.com", "keep", true); !errs.Is(err, errs.PermissionDenied) {
		t.Errorf("the last owner: %v", err)
	}
	if _, err := p.run(t, "olga@example.com", "keep", false); !errs.Is(err, errs.PermissionDenied) {
		t.Errorf("the last owner: %v", err)
	}
	if _, err := p.run(t, "nobody@example.com", "keep", false); !errs.Is(err, errs.Absent("").Code) {
		t.Errorf("nobody: %v", err)
	}
	p.s.As("olga").Do("GET /users/me").OK()
}
