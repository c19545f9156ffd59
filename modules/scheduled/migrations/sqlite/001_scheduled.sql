CREATE TABLE scheduled_messages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- 0: a message to be sent, 1: a reminder
	state INTEGER NOT NULL, -- 0: waiting, 1: failed, 2: sent
	deliver_at INTEGER NOT NULL, -- Unix seconds
	try_at INTEGER NOT NULL, -- Unix milliseconds: not before; of what was sent: when
	channel_id INTEGER NOT NULL, -- 0: people
	recipients TEXT NOT NULL, -- JSON
	topic TEXT NOT NULL,
	content TEXT NOT NULL,
	rendered TEXT NOT NULL,
	read_by_sender BOOLEAN NOT NULL,
	client TEXT NOT NULL,
	url TEXT NOT NULL,
	target_id INTEGER NOT NULL, -- the message that a reminder is about
	error TEXT NOT NULL, -- why it failed
	version INTEGER NOT NULL
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (deliver_at, id) WHERE state = 0;
CREATE INDEX scheduled_messages_sent ON scheduled_messages (try_at) WHERE state = 2;
CREATE INDEX scheduled_messages_user ON scheduled_messages (user_id, deliver_at, id);
CREATE INDEX scheduled_messages_realm ON scheduled_messages (realm_id);
CREATE TABLE scheduled_turn (
	id INTEGER PRIMARY KEY,
	holder TEXT NOT NULL,
	ends_at INTEGER NOT NULL -- Unix milliseconds
);
