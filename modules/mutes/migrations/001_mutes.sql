-- expand: adds a table; locks none in use.
-- The table may exist: it once belonged to the module messages.
CREATE TABLE IF NOT EXISTS user_mutes (
    user_id {int} NOT NULL,
    muted_id {int} NOT NULL,
    realm_id {int} NOT NULL,
    since {time} NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX IF NOT EXISTS user_mutes_realm ON user_mutes (realm_id);
