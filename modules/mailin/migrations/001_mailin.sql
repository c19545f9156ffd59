-- expand: adds tables; locks none in use.
-- The reply addresses of emails about messages.
CREATE TABLE mailin_replies (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	message_id {int} NOT NULL,
	created_at {time} NOT NULL,
	UNIQUE (user_id, message_id)
);
CREATE INDEX mailin_replies_realm ON mailin_replies (realm_id);
CREATE INDEX mailin_replies_created ON mailin_replies (created_at);

-- The key that authenticates reply addresses.
CREATE TABLE mailin_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
