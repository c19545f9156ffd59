CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id INTEGER NOT NULL,
    recipient_id INTEGER NOT NULL,
    topic TEXT NOT NULL,
    topic_key TEXT NOT NULL,
    sender_id INTEGER NOT NULL,
    client TEXT NOT NULL,
    sent_at TEXT NOT NULL,
    content TEXT NOT NULL,
    rendered TEXT NOT NULL,
    render_version INTEGER NOT NULL,
    facts INTEGER NOT NULL,
    read_for INTEGER,
    notice INTEGER NOT NULL,
    edited_at TEXT,
    moved_at TEXT
);
CREATE INDEX messages_recipient ON messages (recipient_id, id);
CREATE INDEX messages_topic ON messages (recipient_id, topic_key, id);
CREATE INDEX messages_sender ON messages (sender_id, id);
CREATE INDEX messages_wildcard ON messages (recipient_id, id) WHERE (facts & 1) <> 0;
CREATE INDEX messages_media ON messages (recipient_id, id) WHERE (facts & 12) <> 0;

CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id INTEGER NOT NULL,
    members_key TEXT NOT NULL,
    UNIQUE (realm_id, members_key)
);

CREATE TABLE conversation_members (
    conversation_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, conversation_id)
);
CREATE INDEX conversation_members_of ON conversation_members (conversation_id);

CREATE TABLE send_keys (
    user_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX send_keys_at ON send_keys (at);
