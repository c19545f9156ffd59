-- expand: adds tables; locks none in use.
CREATE TABLE preview_queue (
	message_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	pages text NOT NULL, -- JSON: the targets of the message's links
	due_at {time} NOT NULL, -- a node that claims the row postpones this
	tries {int} NOT NULL
);
CREATE INDEX preview_queue_due ON preview_queue (due_at);

CREATE TABLE preview_pages (
	key text PRIMARY KEY, -- SHA-256 of the URL, in hexadecimal
	found boolean NOT NULL, -- whether the page has a preview
	title text NOT NULL,
	description text NOT NULL,
	image text NOT NULL,
	read_at {time} NOT NULL
);
CREATE INDEX preview_pages_read ON preview_pages (read_at);
