-- expand: adds tables; locks none in use.
-- Pending and sent notifications. A row is kept for a while, so that no user is notified twice.
CREATE TABLE push_notices (
	user_id {int} NOT NULL,
	message_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	reason text NOT NULL,
	group_id {int} NOT NULL, -- the group, if it alone mentions the user; 0: none
	state {int16} NOT NULL, -- 0: to be sent, 1: shown, 2: to be withdrawn, 3: done
	tries {int} NOT NULL,
	due_at {time} NOT NULL, -- when to send or withdraw it
	created_at {time} NOT NULL,
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX push_notices_due ON push_notices (due_at) WHERE state IN (0, 2);
CREATE INDEX push_notices_shown ON push_notices (message_id) WHERE state = 1;
CREATE INDEX push_notices_created ON push_notices (created_at);
CREATE INDEX push_notices_realm ON push_notices (realm_id);

-- Users whose notifications must be checked for messages read since.
CREATE TABLE push_rechecks (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	mark {int} NOT NULL -- increases with each reason for another check
);
CREATE INDEX push_rechecks_realm ON push_rechecks (realm_id);
