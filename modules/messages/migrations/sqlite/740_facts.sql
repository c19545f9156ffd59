-- What decides who has messages unread, of up to 65,536 ids in one row, so that a node that starts need not read the rows of the
-- messages. It can be made anew from these at any time.
CREATE TABLE message_facts (
	realm_id INTEGER NOT NULL,
	chunk INTEGER NOT NULL, -- id >> 16
	version INTEGER NOT NULL, -- counts how often it was written
	head TEXT NOT NULL,
	list BLOB NOT NULL, -- empty: nothing yet
	changed TEXT, -- ids of messages that have been changed since, each followed by a comma; NULL: too many
	PRIMARY KEY (realm_id, chunk)
);
