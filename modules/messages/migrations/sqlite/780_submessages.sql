CREATE TABLE submessages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id INTEGER NOT NULL,
	sender_id INTEGER NOT NULL,
	type TEXT NOT NULL,
	content TEXT NOT NULL
);
CREATE INDEX submessages_message ON submessages (message_id, id);
