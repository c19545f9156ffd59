-- expand: adds tables; locks none in use.
-- Missed messages of which users will be or have been notified by email.
CREATE TABLE missed_messages (
	user_id {int} NOT NULL,
	message_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	reason text NOT NULL,
	letter_id {int} NOT NULL, -- 0: not in an email yet, -1: read in time
	created_at {time} NOT NULL,
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX missed_messages_letter ON missed_messages (letter_id) WHERE letter_id > 0;
CREATE INDEX missed_messages_created ON missed_messages (created_at);
CREATE INDEX missed_messages_realm ON missed_messages (realm_id);

-- The users with pending missed messages, and when their email is due.
CREATE TABLE missed_people (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	due_at {time} NOT NULL
);
CREATE INDEX missed_people_due ON missed_people (due_at);
CREATE INDEX missed_people_realm ON missed_people (realm_id);

-- Emails, each about the missed messages of one conversation.
CREATE TABLE missed_letters (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	created_at {time} NOT NULL
);
CREATE INDEX missed_letters_created ON missed_letters (created_at);
CREATE INDEX missed_letters_realm ON missed_letters (realm_id);

-- The key that authenticates unsubscribe links.
CREATE TABLE missed_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
