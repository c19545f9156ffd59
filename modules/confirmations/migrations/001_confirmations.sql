-- expand: adds tables; locks none in use.
CREATE TABLE confirmations (
	id {id},
	realm_id {int} NOT NULL,
	kind {int16} NOT NULL, -- 1: of an address, 2: of a new password, 3: a notice
	user_id {int} NOT NULL, -- 0: any user with the address
	email text NOT NULL,
	email_key text NOT NULL,
	nonce text NOT NULL, -- an input of the key
	created_at {time} NOT NULL,
	expires_at {time} NOT NULL,
	ended_at {time} -- when it was used or became invalid
);
CREATE INDEX confirmations_person ON confirmations (realm_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX confirmations_address ON confirmations (realm_id, email_key) WHERE ended_at IS NULL;
CREATE TABLE confirmation_mails (
	id {id},
	realm_id {int} NOT NULL,
	kind {int16} NOT NULL, -- that of the confirmation
	subject text NOT NULL, -- the user's ID or the address
	source text NOT NULL, -- a hash of the client's network
	sent_at {time} NOT NULL
);
CREATE INDEX confirmation_mails_subject ON confirmation_mails (realm_id, kind, subject, sent_at);
CREATE INDEX confirmation_mails_source ON confirmation_mails (source, sent_at);
CREATE TABLE confirmation_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
