-- expand: adds a table; locks none in use.
CREATE TABLE channel_addresses (
	channel_id {int} NOT NULL,
	creator_id {int} NOT NULL, -- the user who requested the email address
	sender_id {int} NOT NULL, -- the sender of the messages that arrive there
	realm_id {int} NOT NULL,
	token text NOT NULL,
	PRIMARY KEY (channel_id, creator_id, sender_id)
);
CREATE UNIQUE INDEX channel_addresses_token ON channel_addresses (token);
