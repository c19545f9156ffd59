-- What decides who has messages unread, of up to 65,536 ids in one row, so that a node that starts need not read the rows of the
-- messages. It can be made anew from these at any time.
CREATE TABLE message_facts (
	realm_id bigint NOT NULL,
	chunk bigint NOT NULL, -- id >> 16
	version bigint NOT NULL, -- that of message_changes, or the row is of no use
	head text NOT NULL,
	list bytea NOT NULL,
	PRIMARY KEY (realm_id, chunk)
);

-- What has changed of these messages since then. It is apart because it is written with each change, and that is large.
CREATE TABLE message_changes (
	realm_id bigint NOT NULL,
	chunk bigint NOT NULL,
	version bigint NOT NULL, -- counts how often facts were packed
	changed text, -- ids, each followed by a comma; NULL: too many
	PRIMARY KEY (realm_id, chunk)
);
-- It is about as large packed as it is, and is read as a whole.
ALTER TABLE message_facts ALTER COLUMN list SET STORAGE EXTERNAL;
