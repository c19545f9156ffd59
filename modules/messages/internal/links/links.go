// Package links writes Markdown links to users, groups, channels, topics and messages. It escapes markup in names.
package links

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

const markup = "&*`\\<>[]~$_#@|"

// Escape returns a name with markup characters escaped.
func Escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(markup, r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Bold returns a text in bold.
func Bold(text string) string { return "**" + text + "**" }

// User returns a silent mention of a user. For unknown IDs, such as 0, it names the server.
func User(v *directory.View, id user.ID) string {
	u := v.User(id)
	if u == nil {
		return "The server"
	}
	return fmt.Sprintf("@_**%s|%d**", u.FullName, u.ID)
}

// Group returns a silent mention of a group.
func Group(g *group.Group) string {
	if strings.ContainsAny(g.Name, "*\n\r") {
		return Bold(Escape(strings.Join(strings.Fields(g.Name), " ")))
	}
	return "@_*" + g.Name + "*"
}

// Channel returns a link to a channel.
func Channel(c *channel.Channel) string {
	if strings.ContainsAny(c.Name, "*>") {
		return fmt.Sprintf("[&#35;%s](/#narrow/channel/%d)", Escape(c.Name), c.ID)
	}
	return "#**" + c.Name + "**"
}

// Topic returns a link to a topic.
func Topic(c *channel.Channel, name string) string {
	if strings.ContainsAny(c.Name+name, "`>*&[]") || strings.Contains(c.Name, "$$") || strings.Contains(name, "$$") {
		return fmt.Sprintf("[&#35;%s > %s](%s)", Escape(c.Name), Escape(topic.Show(name, false)), c.TopicURL(name))
	}
	return "#**" + c.Name + ">" + name + "**"
}

// Message returns a link to a message with the given text.
func Message(c *channel.Channel, name string, id message.ID, text string) string {
	return fmt.Sprintf("[%s](%s/near/%d)", text, c.TopicURL(name), id)
}
