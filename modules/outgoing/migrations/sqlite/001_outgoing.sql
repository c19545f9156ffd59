CREATE TABLE outgoing_calls (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	bot_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	due_at TEXT NOT NULL, -- while it is being made: when it is anybody's again
	running BOOLEAN NOT NULL,
	created_at TEXT NOT NULL
);

CREATE INDEX outgoing_calls_due ON outgoing_calls (due_at, id);
CREATE INDEX outgoing_calls_bot ON outgoing_calls (bot_id);
CREATE INDEX outgoing_calls_running ON outgoing_calls (bot_id) WHERE running;

CREATE TABLE outgoing_failures (
	bot_id INTEGER PRIMARY KEY,
	told_at TEXT NOT NULL -- its owner, for the last time
);
