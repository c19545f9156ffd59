package channel

import (
	"fmt"
	"strings"
)

// URL returns the channel's address in the client: a path that begins with /#narrow.
func (c *Channel) URL() string {
	return fmt.Sprintf("/#narrow/channel/%d-%s", c.ID, Hash(strings.ReplaceAll(c.Name, " ", "-")))
}

// TopicURL returns the address of a topic of the channel.
func (c *Channel) TopicURL(topic string) string { return c.URL() + "/topic/" + Hash(topic) }

// Hash encodes s for use in a URL fragment: percent-encoding, with dots in place of percent signs.
func Hash(s string) string {
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
