package importing

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/topic"
)

// Topics gives out the names of the topics of threads, which are unique in each channel.
type Topics struct {
	names map[Key]*Names
	taken []string
}

// NewTopics returns Topics that avoid the given names.
func NewTopics(taken ...string) *Topics { return &Topics{names: map[Key]*Names{}, taken: taken} }

// Thread returns the name of the topic of a thread: the first line of its root as plain text, else the name of the
// root's file, else its day.
func (t *Topics) Thread(channel Key, text, file string, at time.Time) string {
	if t.names[channel] == nil {
		t.names[channel] = NewNames(topic.MaxLength, strings.ToLower, t.taken...)
	}
	return t.names[channel].Take(cmp.Or(TopicName(text), TopicName(file), "Thread of "+at.UTC().Format(time.DateOnly)))
}

// Main returns the name of the topic for messages outside of threads.
func (o Options) Main(fallback string, at time.Time) string {
	switch o.Split {
	case "year":
		return at.UTC().Format("2006")
	case "month":
		return at.UTC().Format("2006-01")
	}
	return cmp.Or(o.MainTopic, fallback)
}

// ThreadNotice returns the text that stands in the main topic where a thread has begun.
func ThreadNotice(by Key, name string, channel Key, topic string, replies int) string {
	many := "replies"
	if replies == 1 {
		many = "reply"
	}
	return fmt.Sprintf("%s started %s (%d %s).", SilentMention(by, name), TopicLink(channel, topic, topic), replies, many)
}
