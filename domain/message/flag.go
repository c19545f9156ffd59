package message

// Flag is a set of bits: one user's state of one message, as stored in message_flags. Whether the message is read is
// stored separately.
type Flag int

// The bits, as stored. Never renumber them.
const (
	Starred       Flag = 1 << iota
	Collapsed          // shown folded
	Mentioned          // by name or through a group
	Personally         // by name; the narrow mentions: matches these
	TopicWildcard      // @**topic**, as a participant
	AlertWord          // contains an alert word of the user
	Touched            // starred or marked unread without having been received
	OldUnread          // marked unread although the rules make it read
	ByMention          // received by a mentioned bot that is not subscribed
)

// flagNames lists the wire names of the flags that clients receive. The others are internal.
var flagNames = []struct {
	flag Flag
	name string
}{
	{Starred, NameStarred}, {Collapsed, "collapsed"}, {Mentioned, "mentioned"},
	{TopicWildcard, "topic_wildcard_mentioned"}, {AlertWord, "has_alert_word"},
}

// NameStarred is the wire name of Starred.
const NameStarred = "starred"

// Names of flags that are not bits, or that represent several bits.
const (
	NameRead            = "read"
	NameHistorical      = "historical"
	NameChannelWildcard = "stream_wildcard_mentioned"
	NameWildcard        = "wildcard_mentioned" // either wildcard, for older clients
)

// FlagNames returns the wire names of a user's flags on a message: read, the bits of f, the wildcards in facts, and
// historical. Never nil.
func FlagNames(f Flag, facts Facts, read, historical bool) []string {
	names := make([]string, 0, 4)
	if read {
		names = append(names, NameRead)
	}
	for _, n := range flagNames {
		if n.flag == TopicWildcard && facts&ChannelWildcard != 0 {
			names = append(names, NameChannelWildcard)
		}
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	if f&TopicWildcard != 0 || facts&ChannelWildcard != 0 {
		names = append(names, NameWildcard)
	}
	if historical {
		names = append(names, NameHistorical)
	}
	return names
}

// Editable returns the bit of a flag that users can change, by wire name. For read, which is not a bit, it returns 0,
// true.
func Editable(name string) (Flag, bool) {
	switch name {
	case NameRead:
		return 0, true
	case NameStarred:
		return Starred, true
	case "collapsed":
		return Collapsed, true
	}
	return 0, false
}
