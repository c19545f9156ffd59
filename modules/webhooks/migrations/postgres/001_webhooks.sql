CREATE TABLE webhook_notices (
	bot_id bigint PRIMARY KEY,
	told_at timestamptz NOT NULL
);
