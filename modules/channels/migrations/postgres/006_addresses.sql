CREATE TABLE channel_addresses (
	channel_id bigint NOT NULL,
	creator_id bigint NOT NULL, -- who asked for the e-mail address
	sender_id bigint NOT NULL, -- as whom what arrives there is sent
	realm_id bigint NOT NULL,
	token text NOT NULL,
	PRIMARY KEY (channel_id, creator_id, sender_id)
);
CREATE UNIQUE INDEX channel_addresses_token ON channel_addresses (token);
