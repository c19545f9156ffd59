-- The hints that a person has seen.
CREATE TABLE onboarding_steps (
	user_id INTEGER NOT NULL,
	step TEXT NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (user_id, step)
);
CREATE INDEX onboarding_steps_realm ON onboarding_steps (realm_id);
