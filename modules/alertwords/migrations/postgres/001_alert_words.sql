CREATE TABLE alert_words (
	user_id bigint NOT NULL,
	word_key text NOT NULL, -- in lower case
	realm_id bigint NOT NULL,
	word text NOT NULL, -- as it was written
	PRIMARY KEY (user_id, word_key)
);
CREATE INDEX alert_words_realm ON alert_words (realm_id);
