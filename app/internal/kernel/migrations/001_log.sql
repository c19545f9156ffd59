-- expand: adds tables; locks none in use.
CREATE TABLE realm_events (
	realm_id  {int}      NOT NULL,
	seq       {int}      NOT NULL,
	type      text        NOT NULL,
	op        text        NOT NULL,
	at        {time} NOT NULL,
	user_id   {int},
	aud       {int16}    NOT NULL,
	aud_id    {int}      NOT NULL,
	aud_users text,
	ref       {int}      NOT NULL,
	access    boolean     NOT NULL,
	changes   text,
	origin    {bytes}       NOT NULL,
	payload   text        NOT NULL,
	PRIMARY KEY (realm_id, seq)
) {clustered};
CREATE INDEX realm_events_user ON realm_events (realm_id, user_id, seq) WHERE user_id IS NOT NULL;
CREATE INDEX realm_events_access ON realm_events (realm_id, seq) WHERE access;

CREATE TABLE realm_logs (
	realm_id    {int} PRIMARY KEY,
	epoch       {int} NOT NULL,
	trimmed_seq {int} NOT NULL,
	timeline    text   NOT NULL
);

CREATE TABLE log_consumers (
	realm_id {int} NOT NULL,
	name     text   NOT NULL,
	seq      {int} NOT NULL,
	PRIMARY KEY (realm_id, name)
) {clustered};
