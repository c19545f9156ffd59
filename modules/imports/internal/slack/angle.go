package slack

import (
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// angle converts what stands between < and >.
func (c *converter) angle(s string) span {
	target, label, _ := strings.Cut(s, "|")
	target, label = entities.Replace(target), entities.Replace(label)
	if target == "" {
		return plain(entities.Replace("<" + s + ">"))
	}
	switch target[0] {
	case '@':
		return c.mention(target[1:], label)
	case '#':
		return c.channelLink(target[1:], label)
	case '!':
		return c.command(target[1:], label)
	}
	return c.linkTo(target, label, 0)
}

// mention mentions a person. A mention of nobody is a name.
func (c *converter) mention(id, label string) span {
	name := first(c.person(id), strings.TrimPrefix(label, "@"), id)
	if c.person(id) == "" && label != "" {
		return plain("@" + name)
	}
	return reference(importing.Mention(importing.Key(id), "@"+escape(name, false)), "@"+name)
}

func (c *converter) channelLink(id, label string) span {
	name, direct, known := c.channel(id)
	name = first(name, strings.TrimPrefix(label, "#"), id)
	if !known || direct {
		return plain("#" + name)
	}
	return reference(importing.ChannelLink(importing.Key(id), "#"+escape(name, false)), "#"+name)
}

// command converts mentions of all, groups and dates.
func (c *converter) command(s, label string) span {
	switch name, rest, _ := strings.Cut(s, "^"); name {
	case "here", "channel", "everyone", "group":
		return reference("@**all**", "@all")
	case "subteam":
		return plain(first(label, "@group"))
	case "date":
		stamp, _, _ := strings.Cut(rest, "^")
		return date(stamp, label)
	default:
		return plain(first(label, name))
	}
}

// date shows a time in the reader's time zone.
func date(stamp, label string) span {
	at, err := importing.Seconds(stamp)
	if err != nil {
		return plain(first(label, stamp))
	}
	text := at.Format(time.RFC3339)
	return span{kind: rawSpan, md: "<time:" + text + ">", text: first(label, text)}
}

// linkTo links to an address, or to a message of the workspace.
func (c *converter) linkTo(target, label string, as style) span {
	if channel, ts, ok := permalink(target); ok {
		if _, direct, known := c.channel(channel); known {
			shown := first(label, target)
			k := messageKey(channel, ts)
			if direct {
				to, _ := address(target)
				return reference("["+linkText(shown)+"]("+importing.MessageLink(k, to)+")", shown)
			}
			fallback := "[" + linkText(shown) + "](" + targets.Replace(target) + ")"
			if label == "" || label == target {
				fallback = targets.Replace(target)
			}
			return reference(importing.MessageLink(k, fallback), shown)
		}
	}
	if mail, ok := strings.CutPrefix(target, "mailto:"); ok && label == "" {
		label = mail
	}
	return linkTo(target, label, as)
}

// permalink returns the message to which an address of Slack leads.
func permalink(target string) (channel, ts string, ok bool) {
	rest, ok := strings.CutPrefix(target, "https://")
	if !ok {
		return "", "", false
	}
	host, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	if !strings.HasSuffix(host, ".slack.com") || len(parts) != 3 || parts[0] != "archives" {
		return "", "", false
	}
	digits, ok := strings.CutPrefix(parts[2], "p")
	if !ok || len(digits) < 7 || strings.Trim(digits, "0123456789") != "" {
		return "", "", false
	}
	return parts[1], digits[:len(digits)-6] + "." + digits[len(digits)-6:], true
}

// messageKey identifies a message.
func messageKey(channel, ts string) importing.Key { return importing.Key(channel + "/" + ts) }
