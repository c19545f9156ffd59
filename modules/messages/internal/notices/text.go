package notices

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/links"
)

// linked returns one and a link to the channel if there is only one, otherwise many and a list of links.
func linked(one, many string, cs []*channel.Channel) string {
	if len(cs) == 1 {
		return one + links.Channel(cs[0]) + "."
	}
	var b strings.Builder
	b.WriteString(many + "\n")
	for _, c := range cs {
		b.WriteString("\n* " + links.Channel(c))
	}
	return b.String()
}

// quoted returns a description as a Markdown quotation. Descriptions are single lines.
func quoted(description string) string {
	if description == "" {
		return "*No description.*"
	}
	return "> " + description
}

func createdText(v *directory.View, by user.ID, c *channel.Channel) string {
	return links.User(v, by) + " made this channel: " + links.Bold(privacy(c)) + ".\n\n" + quoted(c.Description)
}

func privacy(c *channel.Channel) string {
	switch {
	case c.WebPublic:
		return "Web-public"
	case !c.Private:
		return "Public"
	case c.HistoryPublic:
		return "Private, shared history"
	}
	return "Private, protected history"
}

// changedTexts returns the texts of the notices about a changed channel, one for each property that users are notified
// of.
func changedTexts(v *directory.View, by user.ID, old, now *channel.Channel) []string {
	var all []string
	add := func(format string, args ...any) {
		all = append(all, links.User(v, by)+" "+fmt.Sprintf(format, args...))
	}
	from := func(what, was, is string) {
		if was != is {
			add("changed %s from %s to %s.", what, links.Bold(was), links.Bold(is))
		}
	}
	if old.Name != now.Name {
		add("renamed this channel from %s to %s.", links.Bold(links.Escape(old.Name)), links.Bold(links.Escape(now.Name)))
	}
	if old.Description != now.Description {
		add(
			"changed the description of this channel. Before:\n\n%s\n\nNow:\n\n%s",
			quoted(old.Description),
			quoted(now.Description),
		)
	}
	from("who can see this channel", privacy(old), privacy(now))
	was, is := old.Permissions["can_send_message_group"], now.Permissions["can_send_message_group"]
	if !was.Equal(is) {
		add("changed who can post in this channel. Before: %s. Now: %s.", people(v, was), people(v, is))
	}
	from("how long messages are kept in this channel", retention(old.RetentionDays), retention(now.RetentionDays))
	from("which topics this channel can have", policy(old.TopicsPolicy), policy(now.TopicsPolicy))
	switch {
	case now.Archived && !old.Archived:
		add("archived this channel.")
	case old.Archived && !now.Archived:
		add("took this channel out of the archive.")
	}
	return all
}

func retention(days *int) string {
	switch {
	case days == nil:
		return "as in the whole organization"
	case *days < 0:
		return "forever"
	case *days == 1:
		return "1 day"
	}
	return fmt.Sprintf("%d days", *days)
}

func policy(p string) string {
	switch p {
	case topic.AllowEmpty:
		return topic.EmptyName + " and any topic"
	case topic.DisableEmpty:
		return "any topic, but not " + topic.EmptyName
	case topic.OnlyEmpty:
		return topic.EmptyName + " only"
	}
	return "as in the whole organization"
}

// maxNamed is the maximum number of a permission's users and groups that a notice lists.
const maxNamed = 20

// people lists a permission's users and groups.
func people(v *directory.View, s group.Setting) string {
	s = s.Normal()
	var all []string
	for _, g := range append([]group.ID{s.Group}, s.Subgroups...) {
		if found := v.Group(g); found != nil {
			all = append(all, links.Group(found))
		}
	}
	for _, u := range s.Members {
		if v.User(u) != nil {
			all = append(all, links.User(v, u))
		}
	}
	if more := len(all) - maxNamed; more > 0 {
		all = append(all[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}
