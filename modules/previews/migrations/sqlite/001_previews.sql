CREATE TABLE preview_queue (
	message_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	pages TEXT NOT NULL, -- JSON: the targets of its links
	due_at TEXT NOT NULL, -- whoever takes it puts it off
	tries INTEGER NOT NULL
);
CREATE INDEX preview_queue_due ON preview_queue (due_at);

CREATE TABLE preview_pages (
	key TEXT PRIMARY KEY, -- SHA-256 of the address, hex
	found BOOLEAN NOT NULL, -- whether there is anything to show
	title TEXT NOT NULL,
	description TEXT NOT NULL,
	image TEXT NOT NULL,
	read_at TEXT NOT NULL
);
CREATE INDEX preview_pages_read ON preview_pages (read_at);
