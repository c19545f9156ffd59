-- expand: adds a table; locks none in use.
-- Codes that are mailed to addresses which a provider has not verified.
CREATE TABLE signin_codes (
	id {id},
	realm_id {int} NOT NULL,
	flow text NOT NULL, -- hash of the flow that continues with the code
	provider text NOT NULL, -- its name
	subject text NOT NULL, -- SHA-256 of provider and subject
	email text NOT NULL, -- key of the address, as accounts have it
	address text NOT NULL,
	language text NOT NULL, -- of the browser
	code text NOT NULL,
	created_at {int} NOT NULL -- Unix seconds
);
CREATE INDEX signin_codes_email ON signin_codes (realm_id, email);
CREATE INDEX signin_codes_subject ON signin_codes (realm_id, subject);
CREATE INDEX signin_codes_flow ON signin_codes (flow);
CREATE INDEX signin_codes_created ON signin_codes (created_at);
