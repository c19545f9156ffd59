package crash_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
)

// leaseCase leaves rows in a table with leases, and names the job that works on them.
type leaseCase struct {
	fill func(p *leases)
	job  string // "" if it is not a job that takes the lease; the package's own tests show that it does
}

// leaseCases has an entry for each table with leases.
var leaseCases = map[string]leaseCase{
	"job_leases": {fill: func(p *leases) {
		p.exec("INSERT INTO job_leases (name, holder, due) VALUES ('messages.search', '', 0)")
	}},
	"scheduled_turn": {fill: func(p *leases) { p.exec("INSERT INTO scheduled_turn (id, holder) VALUES (1, '')") }},
	"resumable_uploads": {fill: func(p *leases) {
		p.exec("INSERT INTO resumable_uploads (path_id, realm_id, owner_id, key, name, content_type, size, received, parts, "+
			"done, expires_at, lock_token, holder) VALUES ('p', ?, ?, 'k', 'n', '', 1, 0, 0, FALSE, ?, 'token', '')",
			p.s.Realm, p.s.UserID("alice"), p.s.Clock.Now().Add(24*time.Hour))
	}},
	"push_registrations": {job: "push.forward", fill: func(p *leases) {
		p.exec("INSERT INTO push_registrations (device_id, realm_id, token_id, bouncer_key, sealed, tries, due_at, "+
			"created_at, holder) VALUES (1, ?, 't', 'k', 's', 0, ?, ?, '')", p.s.Realm, p.s.Clock.Now(), p.s.Clock.Now())
	}},
	"exports": {job: "exports.write", fill: func(p *leases) { p.s.As("olga").Do("POST /export/realm").OK() }},
	"upload_thumbnails": {job: "uploads.thumbnails", fill: func(p *leases) {
		p.s.As("alice").UploadAs("POST /user_uploads", "a.png", "image/png", kittest.PNG(4, 4)).OK()
	}},
	"mail_queue": {job: "mail.send_mails", fill: func(p *leases) {
		p.s.Do(func(ctx context.Context) error {
			return p.s.Ports.Outbox.Post(ctx, p.s.Realm, mail.Letter{Kind: "none"})
		})
	}},
	"preview_queue": {job: "previews.read", fill: func(p *leases) {
		p.s.As("olga").Do("PATCH /realm", "inline_url_embed_preview", "true").OK()
		p.s.As("alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content",
			"http://127.0.0.1:9/").OK()
	}},
	"outgoing_calls": {job: "outgoing.call_1", fill: func(p *leases) {
		bot := p.s.As("alice").Do("POST /bots", "full_name", "Service", "short_name", "service", "bot_type", "3",
			"service_name", "x", "payload_url", `"http://127.0.0.1:9/"`).OK().Int("user_id")
		p.s.As("alice").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", bot), "content", "call").OK()
	}},
}

// looksLeased matches the names of columns that may hold a lease. notLeases lists those that do not.
var (
	looksLeased = regexp.MustCompile(`holder|lease|lock|running|claim|worker|node|taken|busy|in_progress`)
	notLeases   = []string{"resumable_uploads.lock_token"} // the request of the node in holder
)

// leases is a server whose leases are held by other nodes.
type leases struct {
	t   *testing.T
	s   *kittest.Server
	all []kit.Lease
}

func (p *leases) exec(text string, args ...any) {
	p.t.Helper()
	db := p.s.App.DB()
	tx, _, err := db.Begin(p.t.Context(), bunstore.Changing)
	if err != nil {
		p.t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := db.From(db.With(p.t.Context(), tx)).NewRaw(text, args...).Exec(p.t.Context()); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	if err := tx.Commit(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// held counts the rows that a node holds.
func (p *leases) held(l kit.Lease, holder string) (n int) {
	p.t.Helper()
	text := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = ?", l.Table, l.Column)
	if err := p.s.App.DB().From(p.t.Context()).NewRaw(text, holder).Scan(p.t.Context(), &n); err != nil {
		p.t.Fatal(err)
	}
	return n
}

// work runs all jobs that take leases, as this node does every few seconds, after it has renewed its own.
func (p *leases) work() {
	p.t.Helper()
	p.s.Renew()
	for _, l := range p.all {
		if job := leaseCases[l.Table].job; job != "" {
			_ = p.s.App.RunJob(p.t.Context(), job) // some call a service that does not respond
		}
	}
}

// TestLeases checks, for every lease of every module, that a living node keeps it as long as it lives, whatever the
// time, and that it is free nine seconds after others have last seen a sign of life, and not before. The work then goes
// on, as a lease of the node that has taken it over.
func TestLeases(t *testing.T) {
	p := &leases{t: t, s: harness.StartAll(t)}
	for _, m := range p.s.Ports.Collected.Modules {
		p.all = append(p.all, m.Parts.Leases...)
	}
	p.checkDeclared()
	if !storetest.Postgres() {
		p.exec("CREATE TABLE claims (name TEXT)")
	}
	rows := map[string]int{}
	for _, l := range p.all {
		c, known := leaseCases[l.Table]
		if !known {
			t.Fatalf("leaseCases has no entry for %s", l.Table)
		}
		c.fill(p)
		set := fmt.Sprintf("UPDATE %s SET %s = 'other'", l.Table, l.Column)
		if l.Due != "" {
			set += ", " + l.Due + " = '2100-01-01 00:00:00+00:00'"
		}
		p.exec(set)
		if rows[l.Table] = p.held(l, "other"); rows[l.Table] == 0 {
			t.Errorf("%s has no rows, so this test does not cover it", l.Table)
		}
		if !storetest.Postgres() {
			p.exec(fmt.Sprintf("CREATE TRIGGER claims_%s AFTER UPDATE ON %s WHEN NEW.%s <> '' BEGIN "+
				"INSERT INTO claims VALUES ('%s'); END", l.Table, l.Table, l.Column, l.Table))
		}
	}
	p.exec("INSERT INTO nodes (id, kind, version, schema, host, pid, beat, started_at, renewed_at) VALUES "+
		"('other', 'serve', '', '', '', 1, 0, ?, ?)", p.s.Clock.Now(), p.s.Clock.Now())
	kept := func(when string) {
		t.Helper()
		p.work()
		for _, l := range p.all {
			if n := p.held(l, "other"); n != rows[l.Table] {
				t.Errorf("%s: %d of %d rows of %s are still held", when, n, rows[l.Table], l.Table)
			}
		}
	}
	for range 4 {
		p.s.Clock.Advance(8 * time.Second)
		p.exec("UPDATE nodes SET beat = beat + 1 WHERE id = 'other'")
		kept("while the node is alive")
	}
	p.s.Clock.Advance(8 * time.Second)
	kept("eight seconds after its death")
	p.s.Clock.Advance(time.Second)
	p.work()
	for _, l := range p.all {
		if n := p.held(l, "other"); n != 0 {
			t.Errorf("%d rows of %s are held by a dead node", n, l.Table)
		}
		var n int
		if leaseCases[l.Table].job == "" || storetest.Postgres() {
			continue
		}
		if err := p.s.App.DB().From(t.Context()).NewRaw("SELECT count(*) FROM claims WHERE name = ?", l.Table).
			Scan(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Errorf("%s did not lease a row of %s", leaseCases[l.Table].job, l.Table)
		}
	}
}

// checkDeclared checks that every column that looks like a lease is declared as one.
func (p *leases) checkDeclared() {
	p.t.Helper()
	schema, err := p.s.App.DB().Schema(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var columns []string
	for _, c := range schema {
		name := c.Table + "." + c.Column
		columns = append(columns, name)
		if looksLeased.MatchString(c.Column) && !slices.Contains(notLeases, name) &&
			!slices.Contains(p.all, p.lease(c.Table, c.Column)) {
			p.t.Errorf("%s looks like a lease: list it in Parts.Leases, or in notLeases", name)
		}
	}
	for _, l := range p.all {
		for _, c := range []string{l.Column, l.Due} {
			if c != "" && !slices.Contains(columns, l.Table+"."+c) {
				p.t.Errorf("Leases names %s.%s, which does not exist", l.Table, c)
			}
		}
	}
	for table := range leaseCases {
		if !slices.ContainsFunc(p.all, func(l kit.Lease) bool { return l.Table == table }) {
			p.t.Errorf("no module declares a lease in %s", table)
		}
	}
}

// lease returns the declaration of a column.
func (p *leases) lease(table, column string) kit.Lease {
	for _, l := range p.all {
		if l.Table == table && strings.EqualFold(l.Column, column) {
			return l
		}
	}
	return kit.Lease{}
}
