CREATE TABLE outgoing_calls (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	bot_id INTEGER NOT NULL,
	owner_id INTEGER NOT NULL, -- the bot's; itself if it has none
	message_id INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	due_at TEXT NOT NULL, -- while it is being made: when it is anybody's again
	running BOOLEAN NOT NULL,
	dropped BOOLEAN NOT NULL, -- no call: the first of those for which there was no room
	created_at TEXT NOT NULL
);

CREATE INDEX outgoing_calls_due ON outgoing_calls (due_at, id);
CREATE INDEX outgoing_calls_owner ON outgoing_calls (owner_id, bot_id, dropped);
CREATE INDEX outgoing_calls_running ON outgoing_calls (due_at) WHERE running;

CREATE TABLE outgoing_failures (
	bot_id INTEGER PRIMARY KEY,
	told_at TEXT NOT NULL -- its owner, for the last time
);
