package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// sender determines what a text may refer to, which is what its author can access. Descriptions have other readers,
// too, so they link only to public channels.
type sender struct {
	view         *directory.View
	user         *user.User // nil: unknown, or unrestricted is set
	unrestricted bool
	description  bool
}

func newSender(v *directory.View, s markdown.Source) *sender {
	out := &sender{view: v, unrestricted: s.Sender == 0, description: s.Description}
	if v != nil && s.Sender != 0 {
		out.user = v.User(s.Sender)
	}
	return out
}

func (s *sender) sees(u user.ID) bool { return s.unrestricted || permission.Sees(s.view, s.user, u) }

func (s *sender) reads(c *channel.Channel) bool {
	if s.description && c.Private {
		return false
	}
	return s.unrestricted || permission.Reads(s.view, c, s.user)
}

// mayOpen reports whether a mention or channel link may begin at s[at].
func mayOpen(s string, at int) bool {
	if at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(s[:at])
	return unicode.IsSpace(r) || strings.ContainsRune(`'"({[/<`, r)
}

// between returns the text between two marks at the start of s. It must not contain stars or newlines.
func between(s, mark string) (string, bool) {
	if !strings.HasPrefix(s, mark) {
		return "", false
	}
	s = s[len(mark):]
	end := strings.IndexAny(s, "*\n")
	if end <= 0 || !strings.HasPrefix(s[end:], mark) {
		return "", false
	}
	return s[:end], true
}

// mentions matches @**user**, @**user|id**, @**all** and @**topic**, and their silent forms with @_.
func (in *inline) mentions(s string, _ int) string {
	return in.replaceMentions(s, "**", in.userMention)
}

// groupMentions matches @*group* and @_*group*.
func (in *inline) groupMentions(s string, _ int) string {
	return in.replaceMentions(s, "*", in.groupMention)
}

func (in *inline) replaceMentions(s, mark string, newNode func(name string, silent bool) *span) string {
	if in.view == nil || in.source.Description {
		return s
	}
	return in.each(s, '@', func(r *rewriting, at int) int {
		start := at + 1
		silent := strings.HasPrefix(s[start:], "_")
		if silent {
			start++
		}
		name, ok := between(s[start:], mark)
		if !ok || !mayOpen(s, at) {
			return at + 1
		}
		end := start + 2*len(mark) + len(name)
		n := newNode(in.written(name), silent || in.quoted > 0)
		if n == nil {
			return end
		}
		r.replace(at, end, n)
		return end
	})
}

func (in *inline) userMention(name string, silent bool) *span {
	switch name {
	case "all", "everyone", "channel", "stream":
		n := mention("user-mention channel-wildcard-mention", silent, "data-user-id", "*", name)
		n.target.channel = !silent
		return n
	case "topic":
		n := mention("topic-mention", silent, "", "", name)
		n.target.topic = !silent
		return n
	}
	u := in.findUser(name)
	if u == nil || !in.sender.sees(u.ID) {
		return nil
	}
	silent = silent || !u.Active
	n := mention("user-mention", silent, "data-user-id", strconv.FormatInt(int64(u.ID), 10), u.FullName)
	if !silent {
		n.target.user = u.ID
	}
	return n
}

// sameName reports whether text is name, ignoring differences in Unicode normalization between editors.
func sameName(name, text string) bool { return norm.NFKC.String(name) == norm.NFKC.String(text) }

// findUser returns the user named by Name, Name|id or |id. With an ID, the name must be exactly that user's.
func (in *inline) findUser(name string) *user.User {
	if bar := strings.LastIndexByte(name, '|'); bar >= 0 {
		if id, err := strconv.ParseInt(name[bar+1:], 10, 64); err == nil {
			u := in.view.User(user.ID(id))
			if u != nil && (bar == 0 || sameName(u.FullName, name[:bar])) {
				return u
			}
			return nil
		}
	}
	return in.view.UserByName(name, in.sender.sees)
}

func (in *inline) groupMention(name string, silent bool) *span {
	g := in.groupNamed(name)
	if g == nil {
		return nil
	}
	silent = silent || g.Deactivated
	shown := g.Name
	if g.System {
		if !silent {
			return nil // system groups can only be mentioned silently
		}
		shown = systemName(g.ID)
	}
	n := mention("user-group-mention", silent, "data-user-group-id", strconv.FormatInt(int64(g.ID), 10), shown)
	if !silent {
		n.target.group = g.ID
	}
	return n
}

// groupNamed returns the group with a name, in any Unicode normalization. The index is built once per text.
func (in *inline) groupNamed(name string) *group.Group {
	if in.groups == nil {
		in.groups = map[string]*group.Group{}
		for g := range in.view.Groups() {
			if existing := in.groups[g.Name]; existing == nil || existing.Deactivated {
				in.groups[g.Name] = g
			}
		}
		for g := range in.view.Groups() { // add normalized names unless they are taken
			if form := norm.NFKC.String(g.Name); in.groups[form] == nil {
				in.groups[form] = g
			}
		}
	}
	if g := in.groups[name]; g != nil {
		return g
	}
	return in.groups[norm.NFKC.String(name)]
}

func systemName(id group.ID) string {
	switch id {
	case group.Internet:
		return "Everyone on the internet"
	case group.Everyone:
		return "Everyone, including guests"
	case group.Members:
		return "Everyone except guests"
	case group.FullMembers:
		return "Full members"
	case group.Moderators:
		return "Moderators"
	case group.Administrators:
		return "Administrators"
	case group.Owners:
		return "Owners"
	}
	return "Nobody"
}

func mention(class string, silent bool, key, value, name string) *span {
	n := &span{tag: "span", text: "@" + name}
	if silent {
		class, n.text = class+" silent", name
	}
	n.attrs = []attr{{"class", class}}
	if key != "" {
		n.attrs = append(n.attrs, attr{key, value})
	}
	return n
}
