CREATE TABLE bot_warnings (
	bot_id bigint PRIMARY KEY, -- whose owner was told that it writes to nobody
	at timestamptz NOT NULL -- last
);
