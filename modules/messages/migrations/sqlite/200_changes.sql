CREATE TABLE message_edits (
    message_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    prev_content TEXT,
    prev_rendered TEXT,
    prev_topic TEXT,
    topic TEXT,
    prev_recipient_id INTEGER,
    recipient_id INTEGER,
    to_protected BOOLEAN NOT NULL,
    PRIMARY KEY (message_id, n)
) WITHOUT ROWID;

CREATE TABLE message_archive (
    id INTEGER PRIMARY KEY,
    realm_id INTEGER NOT NULL,
    recipient_id INTEGER NOT NULL,
    deleted_at TEXT NOT NULL,
    deleted_by INTEGER NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX message_archive_deleted ON message_archive (deleted_at);

CREATE TABLE reactions (
    message_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (message_id, user_id, type, code)
) WITHOUT ROWID;
