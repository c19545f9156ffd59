-- What people have sent that is to be deleted, since they left.
CREATE TABLE message_purges (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	by_id INTEGER NOT NULL, -- who wants it
	in_public BOOLEAN NOT NULL,
	in_private BOOLEAN NOT NULL,
	direct BOOLEAN NOT NULL,
	done INTEGER NOT NULL, -- up to this id nothing of it is left
	upto INTEGER NOT NULL, -- later messages stay; 0: there can be none
	created_at TEXT NOT NULL
);
CREATE INDEX message_purges_user ON message_purges (user_id);
