ALTER TABLE channels ADD COLUMN weekly INTEGER; -- messages per week; null: the channel is too young
ALTER TABLE channels ADD COLUMN quiet BOOLEAN NOT NULL DEFAULT FALSE; -- not recently active

CREATE TABLE channel_days (
	realm_id INTEGER NOT NULL,
	channel_id INTEGER NOT NULL,
	day INTEGER NOT NULL, -- since 1970, UTC
	messages INTEGER NOT NULL, -- sent to it on that day
	PRIMARY KEY (realm_id, day, channel_id)
);

CREATE TABLE channel_tally (
	id INTEGER PRIMARY KEY, -- 1: there is one row
	upto INTEGER NOT NULL -- the last message that has been counted
);
