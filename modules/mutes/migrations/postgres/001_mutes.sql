-- The table may exist already: it belonged to the module messages once.
CREATE TABLE IF NOT EXISTS user_mutes (
    user_id bigint NOT NULL,
    muted_id bigint NOT NULL,
    realm_id bigint NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX IF NOT EXISTS user_mutes_realm ON user_mutes (realm_id);
