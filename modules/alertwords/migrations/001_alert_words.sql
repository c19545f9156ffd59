-- expand: adds a table; locks none in use.
CREATE TABLE alert_words (
	user_id {int} NOT NULL,
	word_key text NOT NULL, -- in lower case
	realm_id {int} NOT NULL,
	word text NOT NULL, -- as entered
	PRIMARY KEY (user_id, word_key)
);
CREATE INDEX alert_words_realm ON alert_words (realm_id);
