-- contract, required: replaces a table; locks it for a moment.
-- Notices are limited per integration of a bot. Earlier times only delay notices and are discarded.
DROP TABLE webhook_notices;

CREATE TABLE webhook_notices (
	bot_id {int} NOT NULL,
	integration text NOT NULL,
	told_at {time} NOT NULL,
	PRIMARY KEY (bot_id, integration)
);
