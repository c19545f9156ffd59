-- expand: adds tables; locks none in use.
CREATE TABLE scheduled_messages (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	kind {int16} NOT NULL, -- 0: a message to be sent, 1: a reminder
	state {int16} NOT NULL, -- 0: waiting, 1: failed, 2: sent
	deliver_at {int} NOT NULL, -- Unix seconds
	try_at {int} NOT NULL, -- Unix milliseconds: not tried before; once sent, when it was sent
	channel_id {int} NOT NULL, -- 0: direct messages
	recipients text NOT NULL, -- JSON
	topic text NOT NULL,
	content text NOT NULL,
	rendered text NOT NULL,
	read_by_sender boolean NOT NULL,
	client text NOT NULL,
	url text NOT NULL,
	target_id {int} NOT NULL, -- the message of a reminder
	error text NOT NULL, -- why sending failed
	version {int} NOT NULL
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (deliver_at, id) WHERE state = 0;
CREATE INDEX scheduled_messages_sent ON scheduled_messages (try_at) WHERE state = 2;
CREATE INDEX scheduled_messages_user ON scheduled_messages (user_id, deliver_at, id);
CREATE INDEX scheduled_messages_realm ON scheduled_messages (realm_id);
CREATE TABLE scheduled_turn (
	id {int} PRIMARY KEY,
	holder text NOT NULL,
	ends_at {int} NOT NULL -- Unix milliseconds
);
