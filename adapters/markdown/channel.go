package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/permission"
)

// channelParser reads #**channel** and #**channel>topic** (markdown.md §10.2). A channel that the sender may not read stays
// text, so that a link never tells that it exists.
type channelParser struct{}

func (channelParser) Trigger() []byte { return []byte{'#'} }

func (channelParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	st := of(pc)
	if st.view == nil || pc.IsInLinkLabel() || !opens(block.PrecendingCharacter()) {
		return nil
	}
	line, _ := block.PeekLine()
	inner, mark := between(line[1:], "**")
	if inner == nil {
		return nil
	}
	name, topic, hasTopic := strings.Cut(string(inner), ">")
	c := st.view.ChannelByName(name)
	if c == nil || c.Name != name || !st.links(c) {
		return nil
	}
	block.Advance(1 + 2*len(mark) + len(inner))
	id := strconv.FormatInt(int64(c.ID), 10)
	if !hasTopic {
		return &span{tag: "a", text: "#" + c.Name, attrs: []attr{
			{"class", "stream"}, {"data-stream-id", id}, {"href", "/#narrow/channel/" + slug(c)},
		}}
	}
	n := &span{tag: "a", text: "#" + c.Name + " > " + topic, attrs: []attr{
		{"class", "stream-topic"}, {"data-stream-id", id}, {"href", "/#narrow/channel/" + slug(c) + "/topic/" + hashed(topic)},
	}}
	if topic == "" {
		n.text, n.em = "#"+c.Name+" > ", "general chat"
	}
	return n
}

// links tells whether a link to c tells nobody what they may not know. A description has other readers than its author: it
// links to public channels only.
func (st *state) links(c *channel.Channel) bool {
	if st.source.Description {
		return !c.Private
	}
	return st.source.Sender == 0 || permission.Reads(st.view, c, st.view.User(st.source.Sender))
}

func slug(c *channel.Channel) string {
	return fmt.Sprintf("%d-%s", c.ID, hashed(strings.ReplaceAll(c.Name, " ", "-")))
}

// hashed encodes a word for the hash part of a URL: like percent-encoding, with dots for per cent signs.
func hashed(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-', c == '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, ".%02X", c)
		}
	}
	return b.String()
}
