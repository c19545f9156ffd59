CREATE TABLE realm_events (
	realm_id  bigint      NOT NULL,
	seq       bigint      NOT NULL,
	type      text        NOT NULL,
	op        text        NOT NULL,
	at        timestamptz NOT NULL,
	user_id   bigint,
	aud       smallint    NOT NULL,
	aud_id    bigint      NOT NULL,
	aud_users text,
	ref       bigint      NOT NULL,
	access    boolean     NOT NULL,
	changes   text,
	origin    bytea       NOT NULL,
	payload   text        NOT NULL,
	PRIMARY KEY (realm_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX realm_events_user ON realm_events (realm_id, user_id, seq) WHERE user_id IS NOT NULL;
CREATE INDEX realm_events_access ON realm_events (realm_id, seq) WHERE access;

CREATE TABLE realm_logs (
	realm_id    bigint PRIMARY KEY,
	epoch       bigint NOT NULL,
	trimmed_seq bigint NOT NULL,
	timeline    text   NOT NULL
);

CREATE TABLE log_consumers (
	realm_id bigint NOT NULL,
	name     text   NOT NULL,
	seq      bigint NOT NULL,
	PRIMARY KEY (realm_id, name)
);
