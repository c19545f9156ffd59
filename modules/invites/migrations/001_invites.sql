-- expand: adds tables; locks none in use.
CREATE TABLE invites (
	id {id},
	realm_id {int} NOT NULL,
	kind {int16} NOT NULL, -- 1: by email, 2: a link, 3: a confirmation of an address
	nonce text NOT NULL, -- an input of the key
	email text NOT NULL, -- empty for a link
	email_key text NOT NULL,
	inviter_id {int} NOT NULL, -- 0 for a confirmation
	link_id {int} NOT NULL, -- the invitation that is confirmed; 0: none
	created_at {time} NOT NULL,
	expires_at {time}, -- NULL: never
	ended_at {time}, -- when it was used or revoked
	uses {int} NOT NULL,
	role {int} NOT NULL,
	channel_ids text NOT NULL, -- here and below, JSON
	group_ids text NOT NULL,
	defaults boolean NOT NULL,
	notify boolean NOT NULL,
	welcome text -- NULL: the realm's
);
CREATE INDEX invites_pending ON invites (realm_id, inviter_id) WHERE ended_at IS NULL;
CREATE INDEX invites_address ON invites (realm_id, email_key) WHERE ended_at IS NULL;
CREATE TABLE invite_mails (
	id {id},
	realm_id {int} NOT NULL,
	kind {int16} NOT NULL, -- that of the invitation
	email_key text NOT NULL,
	source text NOT NULL, -- a hash of the client's network
	sent_at {time} NOT NULL
);
CREATE INDEX invite_mails_sent ON invite_mails (realm_id, sent_at);
CREATE TABLE invite_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
