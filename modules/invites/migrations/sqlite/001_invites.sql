CREATE TABLE invites (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- 1 by mail, 2 by link, 3 confirmation of an address
	nonce TEXT NOT NULL, -- a part of what the key is made of
	email TEXT NOT NULL, -- empty: a link
	email_key TEXT NOT NULL,
	inviter_id INTEGER NOT NULL, -- 0: a confirmation
	link_id INTEGER NOT NULL, -- what a confirmation stands on; 0: nothing
	created_at TEXT NOT NULL,
	expires_at TEXT, -- null: never
	ended_at TEXT, -- used up or revoked
	uses INTEGER NOT NULL,
	role INTEGER NOT NULL,
	channel_ids TEXT NOT NULL, -- JSON, as the next
	group_ids TEXT NOT NULL,
	defaults BOOLEAN NOT NULL,
	notify BOOLEAN NOT NULL,
	welcome TEXT -- null: the realm's
);
CREATE INDEX invites_pending ON invites (realm_id, inviter_id) WHERE ended_at IS NULL;
CREATE INDEX invites_address ON invites (realm_id, email_key) WHERE ended_at IS NULL;
CREATE TABLE invite_mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- of the invitation
	email_key TEXT NOT NULL,
	source TEXT NOT NULL, -- who made it happen, in a form that tells nothing else
	sent_at TEXT NOT NULL
);
CREATE INDEX invite_mails_sent ON invite_mails (realm_id, sent_at);
CREATE TABLE invite_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed
);
