CREATE TABLE message_flags (
    user_id bigint NOT NULL,
    message_id bigint NOT NULL,
    flags integer NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX message_flags_message ON message_flags (message_id);
CREATE INDEX message_flags_starred ON message_flags (user_id, message_id) WHERE (flags & 1) <> 0;
CREATE INDEX message_flags_mentioned ON message_flags (user_id, message_id) WHERE (flags & 4) <> 0;
CREATE INDEX message_flags_topic_wildcard ON message_flags (user_id, message_id) WHERE (flags & 16) <> 0;
CREATE INDEX message_flags_alerted ON message_flags (user_id, message_id) WHERE (flags & 32) <> 0;
CREATE INDEX message_flags_old_unread ON message_flags (user_id, message_id) WHERE (flags & 128) <> 0;

CREATE TABLE read_floor (
    user_id bigint PRIMARY KEY,
    floor bigint NOT NULL
) WITH (fillfactor = 70);

-- Rows are rewritten often: room on the page keeps the rewrites there.
CREATE TABLE read_chunks (
    user_id bigint NOT NULL,
    chunk bigint NOT NULL,
    unread bytea NOT NULL,
    read bytea NOT NULL,
    PRIMARY KEY (user_id, chunk)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX read_chunks_chunk ON read_chunks (chunk);

CREATE TABLE subscription_periods (
    user_id bigint NOT NULL,
    recipient_id bigint NOT NULL,
    from_msg bigint NOT NULL,
    from_seq bigint NOT NULL,
    to_msg bigint,
    to_seq bigint,
    PRIMARY KEY (user_id, recipient_id, from_seq)
);
CREATE UNIQUE INDEX subscription_periods_open ON subscription_periods (user_id, recipient_id) WHERE to_seq IS NULL;
CREATE INDEX subscription_periods_recipient ON subscription_periods (recipient_id, user_id);
