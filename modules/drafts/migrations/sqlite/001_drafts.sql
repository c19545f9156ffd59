-- What a person has written and not sent yet.
CREATE TABLE drafts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	kind TEXT NOT NULL, -- empty: to nobody yet; stream or private
	recipients TEXT NOT NULL, -- JSON: ids of the channel or of people
	topic TEXT NOT NULL,
	content TEXT NOT NULL,
	edited_at TEXT NOT NULL
);
CREATE INDEX drafts_user ON drafts (user_id, edited_at, id);
CREATE INDEX drafts_realm ON drafts (realm_id);
