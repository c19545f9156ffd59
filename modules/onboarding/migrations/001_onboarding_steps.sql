-- expand: adds a table; locks none in use.
-- The hints that users have seen.
CREATE TABLE onboarding_steps (
	user_id {int} NOT NULL,
	step text NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (user_id, step)
);
CREATE INDEX onboarding_steps_realm ON onboarding_steps (realm_id);
