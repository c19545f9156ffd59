-- expand: adds tables; locks none in use.
CREATE TABLE messages (
    id {id},
    realm_id {int} NOT NULL,
    recipient_id {int} NOT NULL,
    topic text NOT NULL,
    topic_key text {bytewise} NOT NULL,
    sender_id {int} NOT NULL,
    client text NOT NULL,
    sent_at {time} NOT NULL,
    content text NOT NULL,
    rendered text NOT NULL,
    render_version {int32} NOT NULL,
    facts {int32} NOT NULL,
    read_for {int},
    notice {int16} NOT NULL,
    edited_at {time},
    moved_at {time}
);
CREATE INDEX messages_recipient ON messages (recipient_id, id);
CREATE INDEX messages_topic ON messages (recipient_id, topic_key, id);
CREATE INDEX messages_sender ON messages (sender_id, id);
CREATE INDEX messages_wildcard ON messages (recipient_id, id) WHERE (facts & 1) <> 0;
CREATE INDEX messages_media ON messages (recipient_id, id) WHERE (facts & 12) <> 0;

CREATE TABLE conversations (
    id {id},
    realm_id {int} NOT NULL,
    members_key text NOT NULL,
    UNIQUE (realm_id, members_key)
);

CREATE TABLE conversation_members (
    conversation_id {int} NOT NULL,
    user_id {int} NOT NULL,
    PRIMARY KEY (user_id, conversation_id)
);
CREATE INDEX conversation_members_of ON conversation_members (conversation_id);

CREATE TABLE send_keys (
    user_id {int} NOT NULL,
    key text NOT NULL,
    body text NOT NULL,
    message_id {int} NOT NULL,
    at {time} NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX send_keys_at ON send_keys (at);
