package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// mentionParser reads @**person**, @**person|id**, @**all**, @**topic**, @*group*, and the silent forms with @_
// (markdown.md §10.1). What it does not know it leaves to the other parsers.
type mentionParser struct{}

func (mentionParser) Trigger() []byte { return []byte{'@'} }

// opens tells whether a mention or a channel link may stand after that character.
func opens(before rune) bool {
	return before == '\n' || before == ' ' || before == '\t' || strings.ContainsRune(`'"({[/<`, before)
}

func (mentionParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	st := of(pc)
	if st.view == nil || st.source.Description || pc.IsInLinkLabel() || !opens(block.PrecendingCharacter()) {
		return nil
	}
	line, _ := block.PeekLine()
	rest := line[1:]
	silent := bytes.HasPrefix(rest, []byte("_"))
	if silent {
		rest = rest[1:]
	}
	for p := parent; p != nil && !silent; p = p.Parent() {
		silent = p.Kind() == ast.KindBlockquote // a quotation notifies nobody
	}
	var n *span
	var inner, mark []byte
	if inner, mark = between(rest, "**"); inner != nil {
		n = st.person(string(inner), silent)
	} else if inner, mark = between(rest, "*"); inner != nil {
		n = st.group(string(inner), silent)
	}
	if n == nil {
		return nil
	}
	block.Advance(len(line) - len(rest) + 2*len(mark) + len(inner))
	return n
}

// between gives what stands between two marks at the start of b.
func between(b []byte, mark string) (inner, used []byte) {
	if !bytes.HasPrefix(b, []byte(mark)) {
		return nil, nil
	}
	b = b[len(mark):]
	end := bytes.Index(b, []byte(mark))
	if end <= 0 || bytes.ContainsAny(b[:end], "*\n") {
		return nil, nil
	}
	return b[:end], []byte(mark)
}

func (st *state) person(name string, silent bool) *span {
	at := func(s string) string {
		if silent {
			return s
		}
		return "@" + s
	}
	switch name {
	case "all", "everyone", "channel", "stream":
		st.out.ChannelWildcard = st.out.ChannelWildcard || !silent
		return mention("user-mention channel-wildcard-mention", silent, "data-user-id", "*", at(name))
	case "topic":
		st.out.TopicWildcard = st.out.TopicWildcard || !silent
		return mention("topic-mention", silent, "", "", at(name))
	}
	u := st.find(name)
	if u == nil || st.source.Sender != 0 && !permission.Sees(st.view, st.view.User(st.source.Sender), u.ID) {
		return nil
	}
	silent = silent || !u.Active
	if !silent && !slices.Contains(st.out.Users, u.ID) {
		st.out.Users = append(st.out.Users, u.ID)
	}
	return mention("user-mention", silent, "data-user-id", strconv.FormatInt(int64(u.ID), 10), at(u.FullName))
}

// find reads Name, Name|id and |id; with an id the name must be exactly that user's.
func (st *state) find(name string) *user.User {
	if bar := strings.LastIndexByte(name, '|'); bar >= 0 {
		if id, err := strconv.ParseInt(name[bar+1:], 10, 64); err == nil {
			u := st.view.User(user.ID(id))
			if u != nil && (bar == 0 || u.FullName == name[:bar]) {
				return u
			}
			return nil
		}
	}
	return st.view.UserByName(name)
}

func (st *state) group(name string, silent bool) *span {
	for g := range st.view.Groups() {
		if g.Name != name {
			continue
		}
		silent = silent || g.Deactivated
		if g.System && !silent {
			return nil // system groups are only mentioned silently
		}
		if !silent && !slices.Contains(st.out.Groups, g.ID) {
			st.out.Groups = append(st.out.Groups, g.ID)
		}
		shown := name
		if g.System {
			shown = systemNames[g.ID]
		}
		if !silent {
			shown = "@" + shown
		}
		return mention("user-group-mention", silent, "data-user-group-id", strconv.FormatInt(int64(g.ID), 10), shown)
	}
	return nil
}

var systemNames = map[group.ID]string{
	group.Internet: "Everyone on the internet", group.Everyone: "Everyone, including guests", group.Members: "Everyone except guests",
	group.FullMembers: "Full members", group.Moderators: "Moderators", group.Administrators: "Administrators",
	group.Owners: "Owners", group.Nobody: "Nobody",
}

func mention(class string, silent bool, key, value, shown string) *span {
	if silent {
		class += " silent"
	}
	n := &span{tag: "span", text: shown, attrs: []attr{{"class", class}}}
	if key != "" {
		n.attrs = append(n.attrs, attr{key, value})
	}
	return n
}
