CREATE TABLE preview_queue (
	message_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	pages text NOT NULL, -- JSON: the targets of its links
	due_at timestamptz NOT NULL, -- whoever takes it puts it off
	tries bigint NOT NULL
);
CREATE INDEX preview_queue_due ON preview_queue (due_at);

CREATE TABLE preview_pages (
	key text PRIMARY KEY, -- SHA-256 of the address, hex
	found boolean NOT NULL, -- whether there is anything to show
	title text NOT NULL,
	description text NOT NULL,
	image text NOT NULL,
	read_at timestamptz NOT NULL
);
CREATE INDEX preview_pages_read ON preview_pages (read_at);
