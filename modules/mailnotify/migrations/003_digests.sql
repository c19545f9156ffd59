-- expand: adds tables; locks none in use.
-- The latest weekly digest of each realm.
CREATE TABLE digest_runs (
	realm_id {int} PRIMARY KEY,
	begun_at {time} NOT NULL,
	after_user {int} NOT NULL, -- users up to this ID have their digest
	done boolean NOT NULL
);

-- Digests, one per user.
CREATE TABLE digest_letters (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	discussions text NOT NULL, -- JSON with the IDs of the messages
	created_at {time} NOT NULL
);
CREATE INDEX digest_letters_created ON digest_letters (created_at);
CREATE INDEX digest_letters_realm ON digest_letters (realm_id);
CREATE INDEX digest_letters_user ON digest_letters (user_id);
