-- What decides who has messages unread, of up to 65,536 ids in one row, so that a node that starts need not read the rows of the
-- messages. It can be made anew from these at any time.
CREATE TABLE message_facts (
	realm_id bigint NOT NULL,
	chunk bigint NOT NULL, -- id >> 16
	version bigint NOT NULL, -- counts how often it was written
	head text NOT NULL,
	list bytea NOT NULL, -- empty: nothing yet
	changed text, -- ids of messages that have been changed since, each followed by a comma; NULL: too many
	PRIMARY KEY (realm_id, chunk)
);
-- It is about as large packed as it is, and is read as a whole.
ALTER TABLE message_facts ALTER COLUMN list SET STORAGE EXTERNAL;
