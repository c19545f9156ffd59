CREATE TABLE message_edits (
    message_id bigint NOT NULL,
    n integer NOT NULL,
    seq bigint NOT NULL,
    user_id bigint NOT NULL,
    at timestamptz NOT NULL,
    prev_content text,
    prev_rendered text,
    prev_topic text,
    topic text,
    prev_recipient_id bigint,
    recipient_id bigint,
    to_protected boolean NOT NULL,
    PRIMARY KEY (message_id, n)
);

CREATE TABLE message_archive (
    id bigint PRIMARY KEY,
    realm_id bigint NOT NULL,
    recipient_id bigint NOT NULL,
    deleted_at timestamptz NOT NULL,
    deleted_by bigint NOT NULL,
    record text NOT NULL
);
CREATE INDEX message_archive_deleted ON message_archive (deleted_at);

-- n is the log position of the entry: reactions are shown in the order in which they were made.
CREATE TABLE reactions (
    message_id bigint NOT NULL,
    user_id bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    name text NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (message_id, user_id, type, code)
);
