-- What decides who has messages unread, of up to 65,536 ids in one row, so that a node that starts need not read the rows of the
-- messages. It can be made anew from these at any time.
CREATE TABLE message_facts (
	realm_id INTEGER NOT NULL,
	chunk INTEGER NOT NULL, -- id >> 16
	version INTEGER NOT NULL, -- that of message_changes, or the row is of no use
	head TEXT NOT NULL,
	list BLOB NOT NULL,
	PRIMARY KEY (realm_id, chunk)
);

-- What has changed of these messages since then. It is apart because it is written with each change, and that is large.
CREATE TABLE message_changes (
	realm_id INTEGER NOT NULL,
	chunk INTEGER NOT NULL,
	version INTEGER NOT NULL, -- counts how often facts were packed
	changed TEXT, -- ids, each followed by a comma; NULL: too many
	PRIMARY KEY (realm_id, chunk)
);
