CREATE TABLE event_queues (
	id TEXT NOT NULL PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	epoch INTEGER NOT NULL DEFAULT 0,
	user_id INTEGER NOT NULL,
	spec TEXT NOT NULL,
	start_seq INTEGER NOT NULL,
	acked_seq INTEGER NOT NULL,
	seen_at TEXT NOT NULL,
	idle_s INTEGER NOT NULL,
	expires_at TEXT NOT NULL
);
CREATE INDEX event_queues_user ON event_queues (realm_id, user_id);
CREATE INDEX event_queues_expires ON event_queues (expires_at);
