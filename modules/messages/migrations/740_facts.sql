-- expand: adds tables; locks none in use.
-- The facts that decide for whom messages are unread, of up to 65,536 IDs in one row, so that a starting node need not
-- read the messages. They can be recomputed from the messages at any time.
CREATE TABLE message_facts (
	realm_id {int} NOT NULL,
	chunk {int} NOT NULL, -- id >> 16
	version {int} NOT NULL, -- if it differs from that of message_changes, the row is out of date
	head text NOT NULL,
	list {bytes} NOT NULL,
	PRIMARY KEY (realm_id, chunk)
);

-- The messages that have changed since. Every change writes this row, so it is apart from the large one.
CREATE TABLE message_changes (
	realm_id {int} NOT NULL,
	chunk {int} NOT NULL,
	version {int} NOT NULL, -- increases each time the facts are packed
	changed text, -- message IDs, each followed by a comma; NULL: too many
	PRIMARY KEY (realm_id, chunk)
);
