CREATE TABLE channel_addresses (
	channel_id INTEGER NOT NULL,
	creator_id INTEGER NOT NULL, -- who asked for the e-mail address
	sender_id INTEGER NOT NULL, -- as whom what arrives there is sent
	realm_id INTEGER NOT NULL,
	token TEXT NOT NULL,
	PRIMARY KEY (channel_id, creator_id, sender_id)
);
CREATE UNIQUE INDEX channel_addresses_token ON channel_addresses (token);
