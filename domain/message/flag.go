package message

// Flag is a set of bits that one person's state of one message consists of, as stored in message_flags. Read is not
// among them: read state is kept apart.
type Flag int

// The bits, as stored; never renumber.
const (
	Starred       Flag = 1 << iota
	Collapsed          // shown folded
	Mentioned          // by name or through a group
	Personally         // by name: what the narrow mentions: asks for
	TopicWildcard      // @**topic**, as a participant
	AlertWord          // holds one of the person's alert words
	Touched            // acted upon, or changed, without having been received
	OldUnread          // marked unread though not unread by rule
	Reached            // received as a bot that was mentioned without being subscribed
)

// flagNames are the wire names of the flags that clients see; the others are the server's own.
var flagNames = []struct {
	flag Flag
	name string
}{
	{Starred, NameStarred}, {Collapsed, "collapsed"}, {Mentioned, "mentioned"},
	{TopicWildcard, "topic_wildcard_mentioned"}, {AlertWord, "has_alert_word"},
}

// NameStarred is the wire name of Starred, whose loss the server tells of by itself.
const NameStarred = "starred"

// The names of flags that are not bits, or stand for several.
const (
	NameRead            = "read"
	NameHistorical      = "historical"
	NameChannelWildcard = "stream_wildcard_mentioned"
	NameWildcard        = "wildcard_mentioned" // either wildcard, for older clients
)

// FlagNames gives all flags of one person and message as the wire has them: read, the bits of f, the wildcards that
// facts tell of, historical. Never nil.
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

// Editable gives the bit of a flag that people may set themselves, by wire name; read, which they may set too, is no
// bit and gives 0, true.
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
