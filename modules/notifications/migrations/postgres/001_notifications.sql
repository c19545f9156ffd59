-- Messages whose receivers have yet to be notified.
CREATE TABLE notification_messages (
	message_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	edited boolean NOT NULL,
	named text NOT NULL -- JSON: whom an edited message mentioned before
);
CREATE INDEX notification_messages_realm ON notification_messages (realm_id);

-- Notifications of people whose clients were connected, until these have received the messages.
CREATE TABLE notification_waits (
	user_id bigint NOT NULL,
	message_id bigint NOT NULL,
	realm_id bigint NOT NULL,
	seq bigint NOT NULL, -- a client that has confirmed this position of the log has received the message
	push_trigger text NOT NULL, -- empty: not by push
	email_trigger text NOT NULL, -- empty: not by email
	group_id bigint NOT NULL, -- 0: none
	due_at timestamptz NOT NULL, -- when to look again
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX notification_waits_due ON notification_waits (due_at);
CREATE INDEX notification_waits_realm ON notification_waits (realm_id);
