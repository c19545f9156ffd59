-- The weekly digest of each organization that has begun last.
CREATE TABLE digest_runs (
	realm_id INTEGER PRIMARY KEY,
	begun_at TEXT NOT NULL,
	after_user INTEGER NOT NULL, -- up to whom people have their letter
	done INTEGER NOT NULL
);

-- Digests, each for one person.
CREATE TABLE digest_letters (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	discussions TEXT NOT NULL, -- JSON; the messages by their ids
	created_at TEXT NOT NULL
);
CREATE INDEX digest_letters_created ON digest_letters (created_at);
CREATE INDEX digest_letters_realm ON digest_letters (realm_id);
CREATE INDEX digest_letters_user ON digest_letters (user_id);
