ALTER TABLE channels ADD COLUMN weekly bigint; -- messages per week; null: the channel is too young
ALTER TABLE channels ADD COLUMN quiet boolean NOT NULL DEFAULT false; -- not recently active

CREATE TABLE channel_days (
	realm_id bigint NOT NULL,
	channel_id bigint NOT NULL,
	day bigint NOT NULL, -- since 1970, UTC
	messages bigint NOT NULL, -- sent to it on that day
	PRIMARY KEY (realm_id, day, channel_id)
);

CREATE TABLE channel_tally (
	id bigint PRIMARY KEY, -- 1: there is one row
	upto bigint NOT NULL -- the last message that has been counted
);
