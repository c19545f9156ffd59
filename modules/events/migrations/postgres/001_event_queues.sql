CREATE TABLE event_queues (
	id text NOT NULL PRIMARY KEY,
	realm_id bigint NOT NULL,
	epoch bigint NOT NULL DEFAULT 0,
	user_id bigint NOT NULL,
	spec text NOT NULL,
	start_seq bigint NOT NULL,
	acked_seq bigint NOT NULL,
	seen_at timestamptz NOT NULL,
	idle_s bigint NOT NULL,
	expires_at timestamptz NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX event_queues_user ON event_queues (realm_id, user_id);
CREATE INDEX event_queues_expires ON event_queues (expires_at);
