-- expand: adds a table; locks none in use.
CREATE TABLE webhook_notices (
	bot_id {int} PRIMARY KEY,
	told_at {time} NOT NULL
);
