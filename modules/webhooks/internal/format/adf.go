package format

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// adfDepth is the maximum depth of nodes that are formatted.
const adfDepth = 30

// adfNode is a node of an Atlassian document, the format of rich text in Jira. A field that contains text instead of a
// document is decoded as a node without type.
type adfNode struct {
	Type    string    `json:"type"`
	Text    string    `json:"text"`
	Content []adfNode `json:"content"`
	Attrs   struct {
		Text      string `json:"text"` // of mentions, emoji and status
		ID        string `json:"id"`
		ShortName string `json:"shortName"`
		URL       string `json:"url"`
		Data      struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"data"` // of cards, instead of the URL
		Timestamp string `json:"timestamp"` // milliseconds
		Level     int    `json:"level"`
		Order     *int   `json:"order"`
		Language  string `json:"language"`
		Title     string `json:"title"`
		State     string `json:"state"` // of tasks: TODO or DONE
		Alt       string `json:"alt"`
		FileName  string `json:"__fileName"`
	} `json:"attrs"`
	Marks []struct {
		Type  string `json:"type"`
		Attrs struct {
			Href string `json:"href"`
		} `json:"attrs"`
	} `json:"marks"`
}

// markdown formats a document, or returns the text that was sent in its place.
func (n adfNode) markdown() string {
	if n.Type == "" {
		return n.Text + n.blocks(adfDepth, "\n\n")
	}
	return n.block(adfDepth)
}

// blocks formats the content of a node, in which inline nodes that follow each other form a paragraph.
func (n adfNode) blocks(depth int, between string) string {
	var all parts
	var inline strings.Builder
	flush := func() {
		all.add(inline.String())
		inline.Reset()
	}
	for _, c := range n.Content {
		if inline.Len() > maxMarkup || all.full() { // the rest would be truncated
			break
		}
		if text, ok := c.inline(); ok {
			inline.WriteString(text)
			continue
		}
		flush()
		all.add(c.block(depth - 1))
	}
	flush()
	return strings.Join(all, between)
}

func (n adfNode) block(depth int) string {
	if depth <= 0 {
		return ""
	}
	if text, ok := n.inline(); ok {
		return text
	}
	switch n.Type {
	case "heading":
		return strings.Repeat("#", min(max(n.Attrs.Level, 1), 6)) + " " + line(n.blocks(depth, " "))
	case "bulletList", "decisionList", "taskList":
		return n.list(depth, func(int) string { return "* " })
	case "orderedList":
		first := 1
		if n.Attrs.Order != nil {
			first = max(*n.Attrs.Order, 0)
		}
		return n.list(depth, func(i int) string { return strconv.Itoa(first+i) + ". " })
	case "taskItem":
		if n.Attrs.State == "DONE" {
			return "[x] " + n.blocks(depth, "\n")
		}
		return "[ ] " + n.blocks(depth, "\n")
	case "listItem", "decisionItem":
		return n.blocks(depth, "\n")
	case "blockquote", "panel":
		return "> " + strings.ReplaceAll(n.blocks(depth, "\n\n"), "\n", "\n> ")
	case "codeBlock":
		var text strings.Builder
		for _, c := range n.Content {
			text.WriteString(truncate(c.Text, maxQuote))
		}
		return fence(letters(n.Attrs.Language), text.String())
	case "rule":
		return "----"
	case "table":
		return n.table(depth)
	case "expand", "nestedExpand":
		var all parts
		if title := line(n.Attrs.Title); title != "" {
			all.add("**" + title + "**")
		}
		all.add(n.blocks(depth, "\n\n"))
		return strings.Join(all, "\n\n")
	case "media":
		return link(cmp.Or(n.Attrs.Alt, n.Attrs.FileName, "attachment"), n.Attrs.URL)
	case "blockCard", "embedCard":
		return n.card()
	case "mediaGroup", "mediaSingle":
		return n.blocks(depth, "\n")
	}
	// doc, paragraph, caption, layouts, extensions and unknown nodes
	all := parts{}
	all.add(truncate(n.Text, maxQuote))
	all.add(n.blocks(depth, "\n\n"))
	return strings.Join(all, "\n\n")
}

// list formats the items of a list. Lists may be nested without an item around them.
func (n adfNode) list(depth int, bullet func(i int) string) string {
	var lines parts
	i := 0
	for _, c := range n.Content {
		if lines.full() {
			break
		}
		text := strings.ReplaceAll(strings.TrimRight(c.block(depth-1), "\n "), "\n", "\n  ")
		switch c.Type {
		case "bulletList", "orderedList", "taskList", "decisionList":
			lines = append(lines, "  "+text)
		default:
			lines = append(lines, bullet(i)+text)
			i++
		}
	}
	return strings.Join(lines, "\n")
}

func (n adfNode) table(depth int) string {
	var lines parts
	for i, row := range n.Content {
		if lines.full() {
			break
		}
		cells := make([]string, len(row.Content))
		for j, cell := range row.Content {
			cells[j] = strings.ReplaceAll(line(cell.blocks(depth-2, " ")), "|", "/")
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			lines = append(lines, "|"+strings.Repeat(" --- |", len(cells)))
		}
	}
	return strings.Join(lines, "\n")
}

// inline formats an inline node. It returns false for blocks.
func (n adfNode) inline() (string, bool) {
	switch n.Type {
	case "text":
		return n.marked(), true
	case "hardBreak":
		return "\n", true
	case "mention":
		return "@" + strings.TrimLeft(line(cmp.Or(n.Attrs.Text, n.Text, n.Attrs.ID)), "@"), true
	case "emoji":
		return cmp.Or(n.Attrs.Text, n.Attrs.ShortName), true
	case "inlineCard":
		return n.card(), true
	case "date":
		ms, err := strconv.ParseInt(n.Attrs.Timestamp, 10, 64)
		if err != nil {
			return n.Attrs.Timestamp, true
		}
		return time.UnixMilli(ms).UTC().Format(time.DateOnly), true
	case "status":
		if text := line(n.Attrs.Text); text != "" {
			return "**" + text + "**", true
		}
		return "", true
	case "placeholder", "inlineExtension":
		return cmp.Or(n.Attrs.Text, n.Text), true
	case "mediaInline":
		return link(cmp.Or(n.Attrs.Alt, n.Attrs.FileName, "attachment"), n.Attrs.URL), true
	}
	return "", false
}

func (n adfNode) card() string {
	address := cmp.Or(n.Attrs.URL, n.Attrs.Data.URL)
	if name := n.Attrs.Data.Name; name != "" {
		return link(name, address)
	}
	return line(address)
}

// marked returns the text of a node with its marks, inside of surrounding white space.
func (n adfNode) marked() string {
	whole := truncate(n.Text, maxQuote)
	plain := strings.TrimFunc(whole, unicode.IsSpace)
	if plain == "" || len(n.Marks) == 0 {
		return whole
	}
	with := map[string]bool{}
	address := ""
	for _, m := range n.Marks {
		with[m.Type] = true
		address = cmp.Or(m.Attrs.Href, address)
	}
	text := plain
	if with["code"] {
		text = code(text)
	}
	if with["link"] && address != "" {
		text = link(text, address)
	}
	for _, m := range []struct{ name, mark string }{{"em", "*"}, {"strong", "**"}, {"strike", "~~"}} {
		if with[m.name] {
			text = m.mark + text + m.mark
		}
	}
	return strings.Replace(whole, plain, text, 1)
}
