CREATE TABLE confirmations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- 1 of an address, 2 for a new password, 3 a notice
	user_id INTEGER NOT NULL, -- 0: whoever has the address
	email TEXT NOT NULL,
	email_key TEXT NOT NULL,
	nonce TEXT NOT NULL, -- a part of what the key is made of
	created_at TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	ended_at TEXT -- used up or void
);
CREATE INDEX confirmations_person ON confirmations (realm_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX confirmations_address ON confirmations (realm_id, email_key) WHERE ended_at IS NULL;
CREATE TABLE confirmation_mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- of the confirmation
	subject TEXT NOT NULL, -- the person's id or the address
	source TEXT NOT NULL, -- who made it happen, in a form that tells nothing else
	sent_at TEXT NOT NULL
);
CREATE INDEX confirmation_mails_subject ON confirmation_mails (realm_id, kind, subject, sent_at);
CREATE INDEX confirmation_mails_source ON confirmation_mails (source, sent_at);
CREATE TABLE confirmation_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed
);
