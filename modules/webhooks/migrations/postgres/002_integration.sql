-- Notices are limited per integration of a bot. Times are not kept: they only delay notices.
DROP TABLE webhook_notices;

CREATE TABLE webhook_notices (
	bot_id bigint NOT NULL,
	integration text NOT NULL,
	told_at timestamptz NOT NULL,
	PRIMARY KEY (bot_id, integration)
);
