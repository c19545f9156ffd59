-- Addresses by which people answer to emails about messages.
CREATE TABLE mailin_replies (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	UNIQUE (user_id, message_id)
);
CREATE INDEX mailin_replies_realm ON mailin_replies (realm_id);
CREATE INDEX mailin_replies_created ON mailin_replies (created_at);

-- What addresses are proved with.
CREATE TABLE mailin_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed
);
