CREATE TABLE realm_events (
	realm_id  INTEGER NOT NULL,
	seq       INTEGER NOT NULL,
	type      TEXT    NOT NULL,
	op        TEXT    NOT NULL,
	at        TEXT    NOT NULL,
	user_id   INTEGER,
	aud       INTEGER NOT NULL,
	aud_id    INTEGER NOT NULL,
	aud_users TEXT,
	ref       INTEGER NOT NULL,
	access    BOOLEAN NOT NULL,
	changes   TEXT,
	origin    BLOB    NOT NULL,
	payload   TEXT    NOT NULL,
	PRIMARY KEY (realm_id, seq)
) WITHOUT ROWID;
CREATE INDEX realm_events_user ON realm_events (realm_id, user_id, seq) WHERE user_id IS NOT NULL;
CREATE INDEX realm_events_access ON realm_events (realm_id, seq) WHERE access;

CREATE TABLE realm_logs (
	realm_id    INTEGER PRIMARY KEY,
	epoch       INTEGER NOT NULL,
	trimmed_seq INTEGER NOT NULL,
	timeline    TEXT    NOT NULL
);

CREATE TABLE log_consumers (
	realm_id INTEGER NOT NULL,
	name     TEXT    NOT NULL,
	seq      INTEGER NOT NULL,
	PRIMARY KEY (realm_id, name)
) WITHOUT ROWID;
