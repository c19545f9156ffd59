CREATE TABLE alert_words (
	user_id INTEGER NOT NULL,
	word_key TEXT NOT NULL, -- in lower case
	realm_id INTEGER NOT NULL,
	word TEXT NOT NULL, -- as it was written
	PRIMARY KEY (user_id, word_key)
);
CREATE INDEX alert_words_realm ON alert_words (realm_id);
