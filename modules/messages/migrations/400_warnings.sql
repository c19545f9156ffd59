-- expand: adds a table; locks none in use.
CREATE TABLE bot_warnings (
	bot_id {int} PRIMARY KEY, -- its owner was warned that nobody receives its messages
	at {time} NOT NULL -- of the last warning
);
