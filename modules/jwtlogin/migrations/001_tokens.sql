-- expand: adds a table; locks none in use.
-- Login tokens that were used, and cannot be used again.
CREATE TABLE jwt_tokens (
	realm_id {int} NOT NULL,
	hash text NOT NULL, -- SHA-256 of the claim jti, or of what is signed
	ends_at {int} NOT NULL, -- Unix seconds
	PRIMARY KEY (realm_id, hash)
);
CREATE INDEX jwt_tokens_ends ON jwt_tokens (ends_at);
