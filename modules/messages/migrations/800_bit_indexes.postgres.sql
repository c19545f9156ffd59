-- Formerly 800_rare_bits.
-- expand: replaces indexes, without which earlier versions are slower; blocks sending while they are built.
-- PostgreSQL's planner estimates that nearly all rows satisfy (bits & 1) <> 0, and does not use these indexes. It
-- estimates that few rows satisfy an equality.
DROP INDEX messages_wildcard;
DROP INDEX messages_link;
DROP INDEX messages_image;
DROP INDEX messages_attachment;
DROP INDEX messages_crossed;
CREATE INDEX messages_wildcard ON messages (recipient_id, id) WHERE (facts & 1) = 1;
CREATE INDEX messages_link ON messages (recipient_id, id) WHERE (facts & 2) = 2;
CREATE INDEX messages_image ON messages (recipient_id, id) WHERE (facts & 4) = 4;
CREATE INDEX messages_attachment ON messages (recipient_id, id) WHERE (facts & 8) = 8;
CREATE INDEX messages_crossed ON messages (recipient_id, id) WHERE (facts & 32) = 32;

DROP INDEX message_flags_starred;
DROP INDEX message_flags_mentioned;
DROP INDEX message_flags_topic_wildcard;
DROP INDEX message_flags_alerted;
DROP INDEX message_flags_old_unread;
DROP INDEX message_flags_personally;
DROP INDEX message_flags_touched;
CREATE INDEX message_flags_starred ON message_flags (user_id, message_id) WHERE (flags & 1) = 1;
CREATE INDEX message_flags_mentioned ON message_flags (user_id, message_id) WHERE (flags & 4) = 4;
CREATE INDEX message_flags_personally ON message_flags (user_id, message_id) WHERE (flags & 8) = 8;
CREATE INDEX message_flags_topic_wildcard ON message_flags (user_id, message_id) WHERE (flags & 16) = 16;
CREATE INDEX message_flags_alerted ON message_flags (user_id, message_id) WHERE (flags & 32) = 32;
CREATE INDEX message_flags_touched ON message_flags (user_id, message_id) WHERE (flags & 64) = 64;
CREATE INDEX message_flags_old_unread ON message_flags (user_id, message_id) WHERE (flags & 128) = 128;
