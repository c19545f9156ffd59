-- The table may exist already: it belonged to the module messages once.
CREATE TABLE IF NOT EXISTS user_mutes (
    user_id INTEGER NOT NULL,
    muted_id INTEGER NOT NULL,
    realm_id INTEGER NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX IF NOT EXISTS user_mutes_realm ON user_mutes (realm_id);
