package message

// Types of events about messages, for code that follows the log without reading payloads.
const (
	EventNew      = "message"
	EventUpdate   = "update_message"
	EventDelete   = "delete_message"
	EventFlags    = "update_message_flags"
	EventReaction = "reaction"
)
