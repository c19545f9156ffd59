package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/markdown"
)

// topicLink is a link to a topic whose newest message has not been looked up yet.
type topicLink struct {
	node  *span
	topic markdown.Topic
}

// channelLinks matches #**channel**, #**channel>topic** and #**channel>topic@message**. Channels that the sender cannot
// access stay text, so that links do not reveal that they exist.
func (in *inline) channelLinks(s string, _ int) string {
	if in.view == nil {
		return s
	}
	return in.each(s, '#', func(r *rewriting, at int) int {
		inner, ok := between(s[at+1:], "**")
		if !ok || !mayOpen(s, at) {
			return at + 1
		}
		end := at + 5 + len(inner)
		if n := in.channelLink(in.written(inner)); n != nil {
			r.replace(at, end, n)
		}
		return end
	})
}

func (in *inline) channelLink(inner string) *span {
	if name, topic, ok := strings.Cut(inner, ">"); ok {
		if c := in.channelNamed(name); c != nil {
			return in.topicLink(c, topic)
		}
	}
	c := in.channelNamed(inner)
	if c == nil {
		return nil
	}
	return channelLink(c, "stream", "", "#"+c.Name)
}

func (in *inline) channelNamed(name string) *channel.Channel {
	c := in.view.ChannelByName(name)
	if c == nil || !sameName(c.Name, name) || !in.sender.reads(c) {
		return nil
	}
	return c
}

func channelLink(c *channel.Channel, class, path, text string) *span {
	return &span{tag: "a", text: text, attrs: []attr{
		{"class", class}, {"data-stream-id", strconv.FormatInt(int64(c.ID), 10)},
		{"href", "/#narrow/channel/" + slug(c) + path},
	}}
}

func (in *inline) topicLink(c *channel.Channel, topic string) *span {
	message := ""
	if at := strings.LastIndexByte(topic, '@'); at >= 0 && digits(topic[at+1:]) {
		topic, message = topic[:at], topic[at+1:]
	}
	path := "/topic/" + hashed(topic)
	n := channelLink(c, "stream-topic", path, "#"+c.Name+" > "+topic)
	if topic == "" {
		n.em = "general chat"
	}
	if message != "" {
		n.attrs, n.after = []attr{{"class", "message-link"}, {"href", n.attrs[2].value + "/near/" + message}}, " @ 💬"
		return n
	}
	in.topics = append(in.topics, &topicLink{n, markdown.Topic{Channel: c.ID, Name: topic}})
	return n
}

// addNewest adds the topics' newest messages to their links.
func (p *parsing) addNewest() error {
	topics := make([]markdown.Topic, len(p.topics))
	for i, t := range p.topics {
		topics[i] = t.topic
	}
	ids, err := p.source.Topics(p.ctx, distinct(topics))
	if err != nil {
		return err
	}
	for _, t := range p.topics {
		if id, ok := ids[t.topic]; ok {
			t.node.attrs[2].value += "/with/" + strconv.FormatInt(id, 10)
		}
	}
	return nil
}

func slug(c *channel.Channel) string {
	return fmt.Sprintf("%d-%s", c.ID, hashed(strings.ReplaceAll(c.Name, " ", "-")))
}

// hashed encodes a word for a URL fragment: like percent-encoding, but with dots instead of percent signs.
func hashed(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case alnum(c), c == '_', c == '-', c == '~':
			b.WriteByte(c)
		default:
			b.Write([]byte{'.', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
