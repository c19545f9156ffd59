-- Messages that people are to be told of by email, and those that they have been told of.
CREATE TABLE missed_messages (
	user_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	reason TEXT NOT NULL,
	letter_id INTEGER NOT NULL, -- 0: not in a letter yet, -1: read in time
	created_at TEXT NOT NULL,
	PRIMARY KEY (user_id, message_id)
);
CREATE INDEX missed_messages_letter ON missed_messages (letter_id) WHERE letter_id > 0;
CREATE INDEX missed_messages_created ON missed_messages (created_at);
CREATE INDEX missed_messages_realm ON missed_messages (realm_id);

-- People for whom missed messages wait, and until when.
CREATE TABLE missed_people (
	user_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	due_at TEXT NOT NULL
);
CREATE INDEX missed_people_due ON missed_people (due_at);
CREATE INDEX missed_people_realm ON missed_people (realm_id);

-- Letters, each about the missed messages of one conversation.
CREATE TABLE missed_letters (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	created_at TEXT NOT NULL
);
CREATE INDEX missed_letters_created ON missed_letters (created_at);
CREATE INDEX missed_letters_realm ON missed_letters (realm_id);

-- What the keys of links to unsubscribe are made with.
CREATE TABLE missed_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed
);
