CREATE TABLE saved_snippets (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	title TEXT NOT NULL,
	content TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE INDEX saved_snippets_user ON saved_snippets (user_id, id);
CREATE INDEX saved_snippets_realm ON saved_snippets (realm_id);
