-- expand: adds a table; locks none in use.
CREATE TABLE submessages (
	id {id},
	message_id {int} NOT NULL,
	sender_id {int} NOT NULL,
	type text NOT NULL,
	content text NOT NULL
);
CREATE INDEX submessages_message ON submessages (message_id, id);
