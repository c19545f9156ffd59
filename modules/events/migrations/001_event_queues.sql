-- expand: adds a table; locks none in use.
CREATE TABLE event_queues (
	id text NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	epoch {int} NOT NULL DEFAULT 0,
	user_id {int} NOT NULL,
	spec text NOT NULL,
	start_seq {int} NOT NULL,
	acked_seq {int} NOT NULL,
	seen_at {time} NOT NULL,
	idle_s {int} NOT NULL,
	expires_at {time} NOT NULL
);
CREATE INDEX event_queues_user ON event_queues (realm_id, user_id);
CREATE INDEX event_queues_expires ON event_queues (expires_at);
