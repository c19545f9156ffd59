-- What people are to be notified of, and what they have been. A row stays for a while, so that nobody is notified twice.
CREATE TABLE push_notices (
	user_id bigint NOT NULL,
	message_id bigint NOT NULL,
	realm_id bigint NOT NULL,
	reason text NOT NULL,
	group_id bigint NOT NULL, -- through which alone the person is mentioned; 0: none
	state smallint NOT NULL, -- 0: to be sent, 1: shown, 2: to be withdrawn, 3: over
	tries bigint NOT NULL,
	due_at timestamptz NOT NULL, -- when to send it, or to withdraw it
	created_at timestamptz NOT NULL,
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notices_due ON push_notices (due_at) WHERE state IN (0, 2);
CREATE INDEX push_notices_shown ON push_notices (message_id) WHERE state = 1;
CREATE INDEX push_notices_created ON push_notices (created_at);
CREATE INDEX push_notices_realm ON push_notices (realm_id);

-- People some of whose notifications may have to be withdrawn.
CREATE TABLE push_rechecks (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	mark bigint NOT NULL -- rises with each reason to look again
);
CREATE INDEX push_rechecks_realm ON push_rechecks (realm_id);
