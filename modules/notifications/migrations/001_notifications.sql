-- expand: adds tables; locks none in use.
-- Messages whose recipients have not been notified yet.
CREATE TABLE notification_messages (
	message_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	edited boolean NOT NULL,
	named text NOT NULL -- JSON: the users mentioned before the message was edited
);
CREATE INDEX notification_messages_realm ON notification_messages (realm_id);

-- Notifications of users with connected clients, until the clients have received the messages.
CREATE TABLE notification_waits (
	user_id {int} NOT NULL,
	message_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	seq {int} NOT NULL, -- clients that have confirmed this log position have received the message
	push_trigger text NOT NULL, -- empty: no push notification
	email_trigger text NOT NULL, -- empty: no email
	group_id {int} NOT NULL, -- 0: none
	due_at {time} NOT NULL, -- time of the next check
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX notification_waits_due ON notification_waits (due_at);
CREATE INDEX notification_waits_realm ON notification_waits (realm_id);
