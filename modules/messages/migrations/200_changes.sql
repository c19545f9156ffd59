-- expand: adds tables; locks none in use.
CREATE TABLE message_edits (
    message_id {int} NOT NULL,
    n {int32} NOT NULL,
    seq {int} NOT NULL,
    user_id {int} NOT NULL,
    at {time} NOT NULL,
    prev_content text,
    prev_rendered text,
    prev_topic text,
    topic text,
    prev_recipient_id {int},
    recipient_id {int},
    to_protected boolean NOT NULL,
    PRIMARY KEY (message_id, n)
) {clustered};

CREATE TABLE message_archive (
    id {int} PRIMARY KEY,
    realm_id {int} NOT NULL,
    recipient_id {int} NOT NULL,
    deleted_at {time} NOT NULL,
    deleted_by {int} NOT NULL,
    record text NOT NULL
);
CREATE INDEX message_archive_deleted ON message_archive (deleted_at);

-- n is the position in the log. Reactions are shown in this order.
CREATE TABLE reactions (
    message_id {int} NOT NULL,
    user_id {int} NOT NULL,
    type text {bytewise} NOT NULL,
    code text {bytewise} NOT NULL,
    name text NOT NULL,
    n {int} NOT NULL,
    PRIMARY KEY (message_id, user_id, type, code)
) {clustered};
