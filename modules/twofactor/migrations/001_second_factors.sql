-- expand: adds tables; locks none in use.
-- What people have set up, and how often somebody has guessed.
CREATE TABLE second_factors (
	user_id {int} NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	secret text NOT NULL, -- of the authenticator app, sealed; empty: none
	pending text NOT NULL, -- the same, until a code has shown that the app knows it
	last_step {int} NOT NULL, -- of the last code that was used, which counts once
	added_at {int} NOT NULL, -- of the app; Unix seconds, like all times here
	asked_at {int} NOT NULL, -- first login at which the organization required a second factor; 0: none
	tries {int} NOT NULL, -- wrong codes
	tries_since {int} NOT NULL
);
CREATE INDEX second_factors_realm ON second_factors (realm_id);

CREATE TABLE recovery_codes (
	hash text NOT NULL PRIMARY KEY, -- SHA-256
	user_id {int} NOT NULL,
	realm_id {int} NOT NULL
);
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);
CREATE INDEX recovery_codes_realm ON recovery_codes (realm_id);

-- Logins that continue with a second factor.
CREATE TABLE second_steps (
	hash text NOT NULL PRIMARY KEY, -- SHA-256 of the secret in the browser's cookie
	user_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	flow text NOT NULL, -- JSON: how the login continues
	secret text NOT NULL, -- of an app that is set up during the login, sealed
	given {int} NOT NULL, -- 1: the person has set up a factor, and reads the recovery codes
	tries {int} NOT NULL,
	ends_at {int} NOT NULL
);
CREATE INDEX second_steps_user ON second_steps (user_id);
CREATE INDEX second_steps_realm ON second_steps (realm_id);
CREATE INDEX second_steps_ends ON second_steps (ends_at);

-- Emails about changes.
CREATE TABLE second_factor_notices (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	kind text NOT NULL,
	created_at {int} NOT NULL
);
CREATE INDEX second_factor_notices_realm ON second_factor_notices (realm_id);
CREATE INDEX second_factor_notices_user ON second_factor_notices (user_id);
CREATE INDEX second_factor_notices_created ON second_factor_notices (created_at);
