-- When people were last there. Every change of a row takes the realm's next counter, under the realm's lock: who has read up to
-- one has read all below it. Rows are never deleted, or the highest counter could be given twice.
CREATE TABLE presences (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	active_at timestamptz NULL, -- null: never
	connected_at timestamptz NOT NULL,
	counter bigint NOT NULL
);
CREATE UNIQUE INDEX presences_counter ON presences (realm_id, counter);
