-- expand: adds a table; locks none in use.
-- Messages that users have written but not sent.
CREATE TABLE drafts (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	kind text NOT NULL, -- empty: no recipient yet; stream or private
	recipients text NOT NULL, -- JSON: the IDs of the channel or the users
	topic text NOT NULL,
	content text NOT NULL,
	edited_at {time} NOT NULL
);
CREATE INDEX drafts_user ON drafts (user_id, edited_at, id);
CREATE INDEX drafts_realm ON drafts (realm_id);
