-- The hints that a person has seen.
CREATE TABLE onboarding_steps (
	user_id bigint NOT NULL,
	step text NOT NULL,
	realm_id bigint NOT NULL,
	PRIMARY KEY (user_id, step)
);
CREATE INDEX onboarding_steps_realm ON onboarding_steps (realm_id);
