CREATE TABLE pictures (
	key text PRIMARY KEY, -- of the blob
	realm_id bigint NOT NULL,
	state bigint NOT NULL, -- 0 no row names it, 1 one does, 2 it is being removed
	changed_at timestamptz NOT NULL
);
CREATE INDEX pictures_unused ON pictures (state, changed_at);
