CREATE TABLE mail_queue (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	ref INTEGER NOT NULL,
	message_id TEXT NOT NULL,
	tries INTEGER NOT NULL,
	due_at TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE INDEX mail_queue_due ON mail_queue (due_at, id);
