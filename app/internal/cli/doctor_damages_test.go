package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// damage is what a check of stoa doctor finds.
type damage struct {
	name    string
	check   string // the only one that finds it
	status  string
	plant   []string // statements
	damage  func(p *patient) (undo func())
	undo    []string // statements; nil: stoa doctor --fix repairs it
	args    []string
	environ []string
	only    string // a kind of database; "": both
}

const (
	warn = "warn"
	fail = "fail"
)

// keep returns statements that keep a row elsewhere, and others that restore it.
func keep(table, column, where string) (before, after []string) {
	return []string{fmt.Sprintf("CREATE TABLE kept AS SELECT id, %s AS v FROM %s WHERE %s", column, table, where)},
		[]string{fmt.Sprintf(`UPDATE %[1]s SET %[2]s = (SELECT v FROM kept WHERE kept.id = %[1]s.id)
			WHERE id IN (SELECT id FROM kept)`, table, column), "DROP TABLE kept"}
}

// damages lists damages, each with the check that finds it.
func damages() []damage {
	const (
		message = `INSERT INTO messages (realm_id, recipient_id, topic, topic_key, sender_id, client, sent_at, content,
			rendered, render_version, facts, notice) SELECT realm_id, %s, '', '', %s, client, sent_at, '', '', render_version,
			0, 0 FROM messages WHERE id = 1`
		withdrawn = `DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)`
		future    = "2999-01-01 00:00:00+00:00"
		past      = "2020-01-01 00:00:00+00:00"
		inactive  = `INSERT INTO users (id, realm_id, delivery_email, email_key, full_name, role, active, bot_type, bot_owner,
			system, joined_at, avatar_source, avatar_version, settings) VALUES (5000, 1, 'x@example.com', 'x@example.com', 'X',
			400, false, 0, 0, false, '` + past + `', 'G', 1, '{}')`
		queue = `INSERT INTO event_queues (id, realm_id, epoch, user_id, spec, start_seq, acked_seq, seen_at, idle_s,
			expires_at) VALUES ('q', 1, (SELECT COALESCE(max(epoch), 0) FROM realm_logs), %d, '{}', 0, %d, '` + past +
			`', 600, '` + future + `')`
		mail = `INSERT INTO mail_queue (realm_id, kind, ref, message_id, tries, due_at, created_at)
			VALUES (1, 'x', 1, 'x', %d, '%s', '` + past + `')`
		plain = `(SELECT seq FROM realm_events WHERE NOT access AND seq > 5 ORDER BY seq LIMIT 1)`
	)
	node := fmt.Sprintf(`INSERT INTO nodes (id, kind, version, schema, host, pid, beat, started_at, renewed_at)
		VALUES ('n', 'serve', 'v', 's', 'h', 1, 1, '%s', '%%s')`, past)
	alive := fmt.Sprintf(node, "NOW()")
	gone := `DELETE FROM nodes WHERE id = 'n'`
	nameBefore, nameAfter := keep("users", "full_name", "id = 6")
	permissionsBefore, permissionsAfter := keep("channels", "permissions", "id = (SELECT min(id) FROM channels)")
	return []damage{
		{name: "unknown key", check: "server.configuration", status: fail, environ: []string{"STOA_HTTP_ADR=x"}},
		{name: "former name", check: "server.configuration", status: warn, damage: writeConfig,
			args: []string{"--config", "{dir}/former.yaml"}},
		{name: "no trusted proxy", check: "server.configuration", status: warn,
			environ: []string{"STOA_HTTP_URL=https://chat.example.com"}},
		{name: "pending migration", check: "server.migrations", status: fail,
			plant: []string{`DELETE FROM schema_migrations WHERE module = 'topics' AND name = '002_topic'`},
			undo: []string{`INSERT INTO schema_migrations (module, name, applied_at)
				VALUES ('topics', '002_topic', CURRENT_TIMESTAMP)`}},
		{name: "migration of a newer version", check: "server.migrations", status: fail,
			plant: []string{`INSERT INTO schema_migrations (module, name, applied_at)
				VALUES ('topics', '900_future', CURRENT_TIMESTAMP)`},
			undo: []string{`DELETE FROM schema_migrations WHERE name = '900_future'`}},
		{name: "missing index", check: "server.schema", status: fail, plant: []string{`DROP INDEX user_topics_topic`}},
		{name: "missing index of a renamed table", check: "server.schema", status: fail,
			plant: []string{`DROP INDEX farewells_user`}},
		{name: "missing column", check: "server.schema", status: fail,
			plant: []string{`ALTER TABLE preview_pages DROP COLUMN title`},
			undo:  []string{`ALTER TABLE preview_pages ADD COLUMN title text NOT NULL DEFAULT ''`}},
		{name: "missing table", check: "server.schema", status: fail,
			plant: []string{`ALTER TABLE preview_pages RENAME TO lost_pages`},
			undo:  []string{`ALTER TABLE lost_pages RENAME TO preview_pages`}},
		{name: "damaged page", check: "server.database", status: fail, only: "sqlite", damage: damagePage},
		{name: "missing entry of an index", check: "server.entries", status: fail, only: "sqlite", damage: loseEntry},
		{name: "invalid index", check: "server.entries", status: fail, only: "postgres", plant: []string{
			`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'user_topics_topic'::regclass`}},
		{name: "large write-ahead log", check: "server.wal", status: warn, only: "sqlite", damage: growWAL},
		{name: "unused space", check: "server.space", status: warn, only: "sqlite", damage: wasteSpace},
		{name: "clock of another server", check: "server.clocks", status: warn,
			plant: []string{fmt.Sprintf(node, future)}, undo: []string{gone}},
		{name: "store that is no folder", check: "server.services", status: warn, damage: func(p *patient) func() {
			blobs := filepath.Join(p.dir, "blobs")
			p.must(os.Rename(blobs, blobs+".away"))
			p.must(os.WriteFile(blobs, nil, 0o600))
			return func() { p.must(os.Remove(blobs)); p.must(os.Rename(blobs+".away", blobs)) }
		}},
		{name: "gap in the log", check: "server.log", status: fail,
			plant: []string{`CREATE TABLE kept AS SELECT * FROM realm_events WHERE seq = ` + plain,
				`DELETE FROM realm_events WHERE seq IN (SELECT seq FROM kept)`},
			undo: []string{`INSERT INTO realm_events SELECT * FROM kept`, `DROP TABLE kept`}},
		{name: "entry that can't be read", check: "server.log", status: fail,
			plant: []string{`UPDATE realm_events SET payload = '{' WHERE seq = ` + plain},
			undo:  []string{`UPDATE realm_events SET payload = '{}' WHERE payload = '{'`}},
		{name: "reader ahead of the log", check: "server.consumers", status: fail,
			plant: []string{`INSERT INTO log_consumers (realm_id, name, seq) VALUES (1, 'x', 999999999)`}},
		{name: "table that disagrees with the log", check: "server.views", status: fail,
			plant: append(nameBefore, `UPDATE users SET full_name = 'Somebody' WHERE id = 6`), undo: nameAfter},
		{name: "fact that can't be read", check: "server.views", status: fail,
			plant: append(permissionsBefore, `UPDATE channels SET permissions = '{' WHERE id IN (SELECT id FROM kept)`),
			undo:  permissionsAfter},
		{name: "row of no user", check: "server.owners", status: fail,
			plant: []string{`INSERT INTO user_passwords (user_id, hash) VALUES (999999, 'x')`}},
		{name: "row of no organization", check: "server.owners", status: fail,
			plant: []string{`INSERT INTO alert_words (user_id, word_key, realm_id, word) VALUES (4, 'x', 999, 'x')`}},
		{name: "flags of no message", check: "server.owners", status: fail,
			plant: []string{`INSERT INTO message_flags (user_id, message_id, flags) VALUES (4, 999999, 1)`}},
		{name: "words of no message", check: "server.owners", status: fail,
			plant: []string{`INSERT INTO message_search (rowid, content, topic) VALUES (999999, 'a', 'b')`}},
		{name: "lease of a dead server", check: "server.leases", status: warn,
			plant: []string{`INSERT INTO job_leases (name, holder, due) VALUES ('x.y', 'dead', 0)`}},
		{name: "overdue job", check: "server.jobs", status: warn,
			plant: []string{alive, `DELETE FROM job_leases WHERE name = 'messages.archive'`,
				`INSERT INTO job_leases (name, holder, due) VALUES ('messages.archive', '', 1000)`},
			undo: []string{gone, `DELETE FROM job_leases WHERE name = 'messages.archive'`}},
		{name: "work that waits", check: "server.jobs", status: warn,
			plant: []string{alive, fmt.Sprintf(mail, 0, past)}, undo: []string{gone, `DELETE FROM mail_queue`}},
		{name: "another secret", check: "server.secret", status: fail, damage: func(p *patient) func() {
			return p.replace(filepath.Join(p.dir, "secret"), strings.Repeat("another secret ", 5))
		}},
		{name: "lost secret", check: "server.secret", status: fail, damage: func(p *patient) func() {
			return p.replace(filepath.Join(p.dir, "secret"), "")
		}},
		{name: "readable data folder", check: "server.permissions", status: warn, damage: func(p *patient) func() {
			p.must(os.Chmod(p.dir, 0o755))
			return nil
		}},
		{name: "readable secret", check: "server.permissions", status: warn, damage: func(p *patient) func() {
			p.must(os.Chmod(filepath.Join(p.dir, "secret"), 0o644))
			return nil
		}},
		{name: "old file with a password", check: "server.password", status: warn, damage: func(p *patient) func() {
			path, now := filepath.Join(p.dir, "owner-password"), time.Now()
			p.must(os.Chtimes(path, now, now.AddDate(0, -1, 0)))
			return func() { p.must(os.Chtimes(path, now, now)) }
		}},
		{name: "missing file", check: "server.files", status: fail, damage: func(p *patient) func() {
			p.must(os.Rename(p.file, filepath.Join(p.dir, "kept")))
			return func() { p.must(os.Rename(filepath.Join(p.dir, "kept"), p.file)) }
		}},
		{name: "file without a row", check: "server.files", status: warn, damage: func(p *patient) func() {
			path := filepath.Join(filepath.Dir(p.file), "stray")
			p.must(os.WriteFile(path, []byte("stray"), 0o600))
			p.must(os.Chtimes(path, time.Time{}, time.Now().AddDate(0, -3, 0)))
			return nil
		}},
		{name: "organization without owner", check: "accounts.owners", status: fail,
			plant: []string{`INSERT INTO realms (string_id, uuid, mail_domain, created_at, deactivated, settings)
				VALUES ('x', 'x', 'x.example.com', '` + past + `', false, '{"invite_required":true}')`},
			undo: []string{`DELETE FROM realms WHERE string_id = 'x'`}},
		{name: "wrong key of an address", check: "accounts.addresses", status: fail,
			plant: []string{`UPDATE users SET email_key = 'x' WHERE id = 6`}},
		{name: "subscription to no channel", check: "channels.subscriptions", status: fail,
			plant: []string{`INSERT INTO subscriptions (user_id, channel_id, realm_id, active, color, is_muted, pin_to_top)
				VALUES (4, 999999, 1, false, '', false, false)`}},
		{name: "subscription not in the list", check: "channels.subscriptions", status: fail,
			plant: []string{`UPDATE subscriptions SET active = NOT active
				WHERE user_id = 4 AND channel_id = (SELECT min(channel_id) FROM subscriptions WHERE user_id = 4)`}},
		{name: "policy for no channel", check: "topics.policies", status: fail,
			plant: []string{`INSERT INTO user_topics (user_id, channel_id, topic_key, realm_id, topic, policy, updated_at)
				VALUES (4, 999999, 'x', 1, 'x', 1, '` + past + `')`}},
		{name: "wrong size of a storage", check: "bots.storage", status: fail,
			plant: []string{`INSERT INTO bot_storages (user_id, realm_id, chars) VALUES (1, 1, 5)`}},
		{name: "queue ahead of the log", check: "events.queues", status: fail,
			plant: []string{fmt.Sprintf(queue, 4, 999999999)}},
		{name: "queue of a deactivated user", check: "events.queues", status: fail,
			plant: []string{inactive, fmt.Sprintf(queue, 5000, 0)}},
		{name: "device of a deactivated user", check: "push.devices", status: fail,
			plant: []string{`INSERT INTO push_tokens (realm_id, user_id, kind, token, token_id, app_id)
				VALUES (1, 5000, 'fcm', 'x', 'x', '')`}},
		{name: "registration that fails", check: "push.registrations", status: warn,
			plant: []string{`INSERT INTO push_registrations (device_id, realm_id, token_id, bouncer_key, sealed, tries, due_at,
				created_at) VALUES (1, 1, 'x', '', '', 5, '` + future + `', '` + past + `')`},
			undo: []string{`DELETE FROM push_registrations`}},
		{name: "email that is not accepted", check: "server.services", status: warn,
			plant: []string{fmt.Sprintf(mail, 5, future)}, undo: []string{`DELETE FROM mail_queue`}},
		{name: "call of no bot", check: "outgoing.calls", status: fail,
			plant: []string{`INSERT INTO outgoing_calls (realm_id, bot_id, owner_id, message_id, tries, due_at, dropped,
				created_at) VALUES (1, 6, 6, 1, 0, '` + future + `', false, '` + past + `')`}},
		{name: "message of no channel", check: "messages.places", status: fail,
			plant: []string{fmt.Sprintf(message, "999998", "sender_id")}, undo: []string{withdrawn}},
		{name: "message of no conversation", check: "messages.places", status: fail,
			plant: []string{fmt.Sprintf(message, "999999", "sender_id")}, undo: []string{withdrawn}},
		{name: "message of no sender", check: "messages.places", status: fail,
			plant: []string{fmt.Sprintf(message, "recipient_id", "999999")}, undo: []string{withdrawn}},
		{name: "reaction in another place", check: "messages.reactions", status: fail,
			plant: []string{`UPDATE reactions SET recipient_id = recipient_id + 2`}},
		{name: "message that searches miss", check: "messages.search", status: fail,
			plant: []string{`DELETE FROM message_search WHERE rowid = 2`}},
		{name: "message rendered by old rules", check: "messages.rendering", status: warn,
			plant: []string{`UPDATE messages SET render_version = 0 WHERE id = 2`}},
		{name: "unread messages that can't be read", check: "messages.readstate", status: fail,
			plant: []string{`INSERT INTO read_floor (user_id, floor) VALUES (4, 0) ON CONFLICT (user_id) DO NOTHING`,
				`INSERT INTO read_chunks (user_id, chunk, unread, read) VALUES (4, 7, BYTES(00ff)END, BYTES()END)`}},
		{name: "unread messages above the floor", check: "messages.readstate", status: fail,
			plant: []string{ // a bitmap of the offset 1
				`INSERT INTO read_chunks (user_id, chunk, unread, read)
				VALUES (4, 7, BYTES(3a3000000100000000000000100000000100)END, BYTES()END)`}},
		{name: "unread messages without a floor", check: "messages.readstate", status: fail,
			plant: []string{`DELETE FROM read_floor WHERE user_id = 1`,
				`INSERT INTO read_chunks (user_id, chunk, unread, read) VALUES (1, 7, BYTES()END, BYTES()END)`}},
		{name: "wrong size of all files", check: "uploads.space", status: fail,
			plant: []string{`UPDATE upload_space SET bytes = bytes + 1, archived = 3`}},
		{name: "reference to no file", check: "uploads.references", status: fail,
			plant: []string{`INSERT INTO attachment_messages (attachment_id, message_id, realm_id) VALUES (999999, 1, 1)`}},
		{name: "file that is never deleted", check: "uploads.references", status: warn,
			plant: []string{`UPDATE attachments SET unused_until = NULL`}},
		{name: "shortened file", check: "uploads.sizes", status: fail, damage: func(p *patient) func() {
			return p.replace(p.file, "c")
		}},
	}
}
