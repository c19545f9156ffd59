-- expand: adds tables; locks none in use.
CREATE TABLE message_flags (
    user_id {int} NOT NULL,
    message_id {int} NOT NULL,
    flags {int32} NOT NULL,
    PRIMARY KEY (user_id, message_id)
) {clustered};
CREATE INDEX message_flags_message ON message_flags (message_id);
CREATE INDEX message_flags_starred ON message_flags (user_id, message_id) WHERE (flags & 1) <> 0;
CREATE INDEX message_flags_mentioned ON message_flags (user_id, message_id) WHERE (flags & 4) <> 0;
CREATE INDEX message_flags_topic_wildcard ON message_flags (user_id, message_id) WHERE (flags & 16) <> 0;
CREATE INDEX message_flags_alerted ON message_flags (user_id, message_id) WHERE (flags & 32) <> 0;
CREATE INDEX message_flags_old_unread ON message_flags (user_id, message_id) WHERE (flags & 128) <> 0;

CREATE TABLE read_floor (
    user_id {int} PRIMARY KEY,
    floor {int} NOT NULL
);

CREATE TABLE read_chunks (
    user_id {int} NOT NULL,
    chunk {int} NOT NULL,
    unread {bytes} NOT NULL,
    read {bytes} NOT NULL,
    PRIMARY KEY (user_id, chunk)
);
CREATE INDEX read_chunks_chunk ON read_chunks (chunk);

CREATE TABLE subscription_periods (
    user_id {int} NOT NULL,
    recipient_id {int} NOT NULL,
    from_msg {int} NOT NULL,
    from_seq {int} NOT NULL,
    to_msg {int},
    to_seq {int},
    PRIMARY KEY (user_id, recipient_id, from_seq)
) {clustered};
CREATE UNIQUE INDEX subscription_periods_open ON subscription_periods (user_id, recipient_id) WHERE to_seq IS NULL;
CREATE INDEX subscription_periods_recipient ON subscription_periods (recipient_id, user_id);
