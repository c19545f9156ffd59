CREATE INDEX outgoing_calls_message ON outgoing_calls (message_id, bot_id);
