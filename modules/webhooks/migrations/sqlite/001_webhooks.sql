CREATE TABLE webhook_notices (
	bot_id INTEGER PRIMARY KEY,
	told_at TEXT NOT NULL
);
