CREATE TABLE bot_warnings (
	bot_id INTEGER PRIMARY KEY, -- whose owner was told that it writes to nobody
	at TEXT NOT NULL -- last
);
