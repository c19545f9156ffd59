-- contract, required: earlier versions would not fill in the new column; blocks sending while it builds indexes.
-- Indexes for properties that few messages of a large conversation have.
CREATE INDEX messages_place_sender ON messages (recipient_id, sender_id, id);
CREATE INDEX messages_link ON messages (recipient_id, id) WHERE (facts & 2) <> 0;
CREATE INDEX messages_image ON messages (recipient_id, id) WHERE (facts & 4) <> 0;
CREATE INDEX messages_attachment ON messages (recipient_id, id) WHERE (facts & 8) <> 0;
CREATE INDEX messages_crossed ON messages (recipient_id, id) WHERE (facts & 32) <> 0;
DROP INDEX messages_media;

CREATE INDEX message_flags_personally ON message_flags (user_id, message_id) WHERE (flags & 8) <> 0;
CREATE INDEX message_flags_touched ON message_flags (user_id, message_id) WHERE (flags & 64) <> 0;

ALTER TABLE reactions ADD COLUMN recipient_id {int} NOT NULL DEFAULT 0; -- that of the message
UPDATE reactions SET recipient_id =
	COALESCE((SELECT m.recipient_id FROM messages m WHERE m.id = reactions.message_id), 0);
CREATE INDEX reactions_recipient ON reactions (recipient_id, message_id);
