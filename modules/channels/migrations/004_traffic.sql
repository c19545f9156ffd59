-- expand: adds columns and tables; locks channels for a moment.
ALTER TABLE channels ADD COLUMN weekly {int}; -- messages per week; NULL: the channel is too new
ALTER TABLE channels ADD COLUMN quiet boolean NOT NULL DEFAULT false; -- not active recently

CREATE TABLE channel_days (
	realm_id {int} NOT NULL,
	channel_id {int} NOT NULL,
	day {int} NOT NULL, -- days since 1970, UTC
	messages {int} NOT NULL, -- sent to the channel on that day
	PRIMARY KEY (realm_id, day, channel_id)
);

CREATE TABLE channel_tally (
	id {int} PRIMARY KEY, -- always 1
	upto {int} NOT NULL -- the last message counted
);
