-- expand: adds tables; locks none in use.
CREATE TABLE outgoing_calls (
	id {id},
	realm_id {int} NOT NULL,
	bot_id {int} NOT NULL,
	owner_id {int} NOT NULL, -- the bot's owner, or the bot itself if it has none
	message_id {int} NOT NULL,
	tries {int} NOT NULL,
	due_at {time} NOT NULL, -- during a call: when other nodes may claim it
	running boolean NOT NULL,
	dropped boolean NOT NULL, -- not a call: stands for the calls dropped because of the limit
	created_at {time} NOT NULL
);

CREATE INDEX outgoing_calls_due ON outgoing_calls (due_at, id);
CREATE INDEX outgoing_calls_owner ON outgoing_calls (owner_id, bot_id, dropped);
CREATE INDEX outgoing_calls_running ON outgoing_calls (due_at) WHERE running;

CREATE TABLE outgoing_failures (
	bot_id {int} PRIMARY KEY,
	told_at {time} NOT NULL -- when the owner was last notified
);
