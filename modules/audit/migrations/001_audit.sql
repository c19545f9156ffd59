-- expand: adds tables; locks none in use.
CREATE TABLE audit (
	realm_id {int} NOT NULL,
	seq {int} NOT NULL,
	at {int} NOT NULL,
	action text NOT NULL,
	outcome text NOT NULL,
	actor_kind text NOT NULL,
	actor_id {int} NOT NULL,
	target_kind text NOT NULL,
	target text NOT NULL,
	old_values text NOT NULL,
	new_values text NOT NULL,
	session_id {int} NOT NULL,
	api_key text NOT NULL,
	request text NOT NULL,
	route text NOT NULL,
	source_digest text NOT NULL,
	personal_digest text NOT NULL,
	hash text NOT NULL,
	PRIMARY KEY (realm_id, seq)
);
CREATE INDEX audit_actions ON audit (realm_id, action, seq);
CREATE INDEX audit_actors ON audit (realm_id, actor_id, seq);
CREATE INDEX audit_targets ON audit (realm_id, target_kind, target, seq);
CREATE INDEX audit_times ON audit (realm_id, at, seq);

CREATE TABLE audit_personal (
	realm_id {int} NOT NULL,
	seq {int} NOT NULL,
	part text NOT NULL,
	user_id {int} NOT NULL,
	salt text NOT NULL,
	content text NOT NULL,
	PRIMARY KEY (realm_id, seq, part)
);
CREATE INDEX audit_personal_users ON audit_personal (realm_id, user_id);

CREATE TABLE audit_heads (
	realm_id {int} PRIMARY KEY,
	seq {int} NOT NULL,
	hash text NOT NULL,
	anchor_seq {int} NOT NULL,
	anchor_hash text NOT NULL
);
