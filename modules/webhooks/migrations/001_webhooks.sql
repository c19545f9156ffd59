CREATE TABLE webhook_notices (
	bot_id {int} PRIMARY KEY,
	told_at {time} NOT NULL
);
