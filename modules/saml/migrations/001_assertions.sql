-- expand: adds a table; locks none in use.
-- Assertions that were used, and cannot be used again.
CREATE TABLE saml_assertions (
	realm_id {int} NOT NULL,
	hash text NOT NULL, -- SHA-256 of the provider and the assertion's ID
	ends_at {int} NOT NULL, -- Unix seconds
	PRIMARY KEY (realm_id, hash)
);
CREATE INDEX saml_assertions_ends ON saml_assertions (ends_at);
