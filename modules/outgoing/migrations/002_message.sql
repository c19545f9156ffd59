-- expand: adds an index; blocks changes of outgoing_calls while it is built.
CREATE INDEX outgoing_calls_message ON outgoing_calls (message_id, bot_id);
