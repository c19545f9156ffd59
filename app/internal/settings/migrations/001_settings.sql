-- expand: adds a table; locks none in use.
-- Values of settings that modules declare. user_id and channel_id are 0 for settings of other things.
CREATE TABLE module_settings (
    realm_id {int} NOT NULL,
    key text NOT NULL,
    user_id {int} NOT NULL,
    channel_id {int} NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (realm_id, key, user_id, channel_id)
);
