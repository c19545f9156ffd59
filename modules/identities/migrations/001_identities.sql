-- expand: adds tables; locks none in use.
-- Accounts of users at identity providers.
CREATE TABLE external_identities (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	provider text NOT NULL, -- such as oidc:corp
	subject text NOT NULL, -- identifies the person at the provider
	email text NOT NULL, -- the address that the provider told when the identity was connected
	created_at {time} NOT NULL,
	used_at {time} NOT NULL -- when it was last used to log in
);
CREATE UNIQUE INDEX external_identities_subject ON external_identities (realm_id, provider, subject);
CREATE UNIQUE INDEX external_identities_user ON external_identities (user_id, provider);

-- Logins that continue at a provider.
CREATE TABLE signin_flows (
	hash text NOT NULL PRIMARY KEY, -- SHA-256 of the state parameter
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL, -- who connects an identity, or whose password is asked for; 0: nobody
	provider text NOT NULL,
	intent text NOT NULL,
	browser text NOT NULL, -- SHA-256 of the browser's cookie
	next text NOT NULL,
	mobile text NOT NULL, -- one-time pad of a mobile app, hexadecimal
	desktop text NOT NULL,
	nonce text NOT NULL,
	verifier text NOT NULL,
	identity text NOT NULL, -- JSON: what the provider has verified; empty before that
	tries {int} NOT NULL, -- of passwords
	ends_at {int} NOT NULL -- Unix milliseconds
);
CREATE INDEX signin_flows_realm ON signin_flows (realm_id);
CREATE INDEX signin_flows_ends ON signin_flows (ends_at);

-- Sessions that began at a provider, which can end them.
CREATE TABLE identity_sessions (
	session_id {int} NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	provider text NOT NULL,
	subject text NOT NULL,
	sid text NOT NULL -- the provider's name for its session
);
CREATE INDEX identity_sessions_subject ON identity_sessions (realm_id, provider, subject);
CREATE INDEX identity_sessions_user ON identity_sessions (user_id);
