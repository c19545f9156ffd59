package importing

import (
	"strings"
)

// A reference stands in the text of a message for something that has another name or ID here: it begins and ends with
// NUL, which no other text contains, and has the fields kind, key, detail and fallback.
const (
	mark  = "\x00"
	comma = "\x1f"
)

// RefKind is the kind of a reference.
type RefKind string

// The kinds of references.
const (
	RefPerson  RefKind = "person"
	RefSilent  RefKind = "silent" // a mention that notifies nobody
	RefGroup   RefKind = "group"
	RefChannel RefKind = "channel"
	RefTopic   RefKind = "topic"
	RefMessage RefKind = "message"
	RefFile    RefKind = "file"
	RefEmoji   RefKind = "emoji"
)

// Ref is a reference.
type Ref struct {
	Kind     RefKind
	Key      Key
	Detail   string // of a topic: its name
	Fallback string // the text if the record is not imported
}

// String returns the reference as a part of a text.
func (r Ref) String() string {
	return mark + strings.Join([]string{string(r.Kind), field(string(r.Key)), field(r.Detail), field(r.Fallback)}, comma) +
		mark
}

// field returns a text without the characters that delimit references.
func field(text string) string { return delimiters.Replace(text) }

var delimiters = strings.NewReplacer(mark, "", comma, " ")

// Mention mentions a person.
func Mention(k Key, fallback string) string {
	return Ref{Kind: RefPerson, Key: k, Fallback: fallback}.String()
}

// SilentMention names a person without a notification.
func SilentMention(k Key, fallback string) string {
	return Ref{Kind: RefSilent, Key: k, Fallback: fallback}.String()
}

// GroupMention mentions a group.
func GroupMention(k Key, fallback string) string {
	return Ref{Kind: RefGroup, Key: k, Fallback: fallback}.String()
}

// ChannelLink links to a channel.
func ChannelLink(k Key, fallback string) string {
	return Ref{Kind: RefChannel, Key: k, Fallback: fallback}.String()
}

// TopicLink links to a topic of a channel.
func TopicLink(k Key, topic, fallback string) string {
	return Ref{Kind: RefTopic, Key: k, Detail: topic, Fallback: fallback}.String()
}

// MessageLink links to a message.
func MessageLink(k Key, fallback string) string {
	return Ref{Kind: RefMessage, Key: k, Fallback: fallback}.String()
}

// FileLink is the address of a file, as in [name](address).
func FileLink(k Key, fallback string) string {
	return Ref{Kind: RefFile, Key: k, Fallback: fallback}.String()
}

// CustomEmoji is a custom emoji in a text.
func CustomEmoji(k Key, fallback string) string {
	return Ref{Kind: RefEmoji, Key: k, Fallback: fallback}.String()
}

// References returns the references in a text.
func References(text string) []Ref {
	var out []Ref
	Expand(text, func(r Ref) string { out = append(out, r); return "" })
	return out
}

// Expand replaces each reference in a text.
func Expand(text string, with func(Ref) string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, mark) {
		fields := strings.Split(part, comma)
		if i%2 == 0 || len(fields) != 4 {
			b.WriteString(part)
			continue
		}
		b.WriteString(with(Ref{RefKind(fields[0]), Key(fields[1]), fields[2], fields[3]}))
	}
	return b.String()
}
