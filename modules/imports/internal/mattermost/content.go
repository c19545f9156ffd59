package mattermost

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// content is what becomes of the text of a post.
type content struct {
	text    string
	skip    string // why the post is left out
	lost    string // what is lost
	dropped int    // number of properties without an equivalent
}

// content converts the text of a post, by its type.
func (s *source) content(p *postLine) content {
	props, known := properties(p.Props)
	c := content{text: s.markdown(p.Message), dropped: len(props) - known}
	switch {
	case p.Type == "me":
		said := p.Message
		if text := text(props["message"]); text != "" {
			said = text
		} else if t := strings.TrimSpace(said); len(t) > 1 && t[0] == '*' && t[len(t)-1] == '*' {
			said = t[1 : len(t)-1]
		}
		c.text = "/me " + s.markdown(said)
	case slices.Contains(greyTypes, p.Type):
		c.text = grey(p, s.markdown)
	case strings.HasPrefix(p.Type, "system_"):
		return content{skip: "a notice of the system"}
	case strings.HasPrefix(p.Type, "custom_") && strings.TrimSpace(c.text) == "" && strings.Contains(p.Type, "call"):
		c.text = "/me had a call"
	case strings.HasPrefix(p.Type, "custom_"):
		c.lost = "a post of a plugin; its text is kept"
	case p.Type != "" && p.Type != "slack_attachment":
		c.lost = "a post of an unknown type; its text is kept"
	}
	var attachments importing.List[attachment]
	if a := props["attachments"]; a != nil && importing.Decode(a, &attachments) == nil {
		for _, a := range attachments.All {
			c.text = join("\n\n", c.text, s.attachment(a))
		}
		if attachments.Bad > 0 {
			c.lost = "a malformed attachment"
		}
	}
	if name := text(props["override_username"]); name != "" && text(props["from_webhook"]) == "true" {
		c.text = "(via " + s.literal(name) + ") " + c.text
	}
	return c
}

// greyTypes are the notices that become lines by their author.
var greyTypes = []string{"system_header_change", "system_purpose_change", "system_displayname_change"}

// grey returns a notice as a line about its author, whose name it begins with.
func grey(p *postLine, markdown func(string) string) string {
	said := strings.TrimSpace(p.Message)
	for _, name := range []string{"@" + p.User, p.User} {
		if len(said) > len(name) && strings.EqualFold(said[:len(name)], name) && said[len(name)] == ' ' {
			said = said[len(name)+1:]
			break
		}
	}
	if said == "" {
		return ""
	}
	return "/me " + strings.ReplaceAll(markdown(said), "\n", " ")
}

// known are the properties that have an equivalent here, or say nothing about it.
var known = []string{
	"attachments", "from_webhook", "from_bot", "from_plugin", "override_username", "message", "disable_group_highlight",
	"mentionHighlightDisabled", "channel_mentions", "webhook_display_name", "addedUserId", "username",
}

// properties decodes the properties of a post, and returns how many of them are known.
func properties(raw json.RawMessage) (props map[string]json.RawMessage, n int) {
	if len(raw) == 0 || importing.Decode(raw, &props) != nil {
		return nil, 0
	}
	for name := range props {
		if slices.Contains(known, name) {
			n++
		}
	}
	return props, n
}

// text returns a property as text, or "".
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "true" {
		return "true"
	}
	return ""
}

// join joins the texts that are not empty.
func join(between string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" }), between)
}
