package format

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// slackRich holds the fields of the elements of rich text.
type slackRich struct {
	Style     any    `json:"style"` // of lists: bullet or ordered; of text: an object
	Indent    int    `json:"indent"`
	Offset    int    `json:"offset"`
	Language  string `json:"language"`
	Name      string `json:"name"`    // of an emoji
	Unicode   string `json:"unicode"` // of an emoji: code points in hexadecimal, separated by hyphens
	User      string `json:"user_id"`
	Channel   string `json:"channel_id"`
	Group     string `json:"usergroup_id"`
	Team      string `json:"team_id"`
	Range     string `json:"range"` // of a broadcast: here, channel or everyone
	Timestamp int64  `json:"timestamp"`
	Fallback  string `json:"fallback"`
	Value     string `json:"value"` // of a color
}

// richBlock formats the elements of a rich_text block.
func richBlock(elements []slackBlock, depth int) string {
	var b strings.Builder
	list := false
	for _, e := range elements {
		var text string
		switch isList := e.Type == "rich_text_list"; {
		case isList:
			text = richList(e, depth)
		case e.Type == "rich_text_preformatted":
			text = fence(letters(e.Language), richPlain(e.Elements))
		case e.Type == "rich_text_quote":
			text = "> " + strings.ReplaceAll(strings.Trim(richInline(e.Elements, depth), "\n"), "\n", "\n> ")
		case e.Type == "rich_text_section":
			text = richInline(e.Elements, depth)
		default:
			text = richInline([]slackBlock{e}, depth)
		}
		if text = strings.Trim(text, "\n"); strings.TrimSpace(text) == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
			if !list || e.Type != "rich_text_list" { // lists of several levels follow each other
				b.WriteString("\n")
			}
		}
		b.WriteString(text)
		list = e.Type == "rich_text_list"
	}
	return b.String()
}

func richList(e slackBlock, depth int) string {
	margin := strings.Repeat("  ", min(max(e.Indent, 0), 8))
	n := max(e.Offset, 0)
	var lines []string
	for _, item := range e.Elements {
		text := richInline(item.Elements, depth)
		if item.Type != "rich_text_section" {
			text = richInline([]slackBlock{item}, depth)
		}
		n++
		bullet := "* "
		if e.Style == "ordered" {
			bullet = strconv.Itoa(n) + ". "
		}
		lines = append(lines, margin+bullet+strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n"+margin+"  "))
	}
	return strings.Join(lines, "\n")
}

// richInline formats the elements of a section.
func richInline(elements []slackBlock, depth int) string {
	if depth <= 0 {
		return ""
	}
	var b strings.Builder
	for _, e := range elements {
		b.WriteString(e.inline(depth))
	}
	return b.String()
}

func (b slackBlock) inline(depth int) string {
	text := b.Text.Text
	switch b.Type {
	case "link":
		if text == "" {
			return b.URL
		}
		if style, _ := b.Style.(map[string]any); style["code"] == true {
			text = code(text)
		}
		return b.styled(link(text, b.URL))
	case "emoji":
		return b.emoji()
	case "user":
		text = "@" + b.User
	case "usergroup":
		text = "@" + b.Group
	case "team":
		text = "@" + b.Team
	case "broadcast":
		text = "@" + b.Range
	case "channel":
		text = "#" + b.Channel
	case "date":
		if b.Timestamp <= 0 {
			return b.Fallback
		}
		return timeTag(b.Timestamp)
	case "color":
		text = b.Value
	default:
		if len(b.Elements) > 0 {
			text += richInline(b.Elements, depth-1)
		}
		text = cmp.Or(text, b.Fallback)
	}
	return b.styled(text)
}

// styled adds the marks for an element's style, inside of surrounding white space.
func (b slackBlock) styled(text string) string {
	style, _ := b.Style.(map[string]any)
	is := func(name string) bool { return style[name] == true }
	plain := strings.TrimFunc(text, unicode.IsSpace)
	if len(style) == 0 || plain == "" {
		return text
	}
	marked := plain
	if is("code") && b.Type != "link" {
		marked = code(marked)
	}
	for _, s := range []struct{ name, mark string }{{"italic", "*"}, {"bold", "**"}, {"strike", "~~"}} {
		if is(s.name) {
			marked = s.mark + marked + s.mark
		}
	}
	return strings.Replace(text, plain, marked, 1)
}

// emoji returns the character, or else the name.
func (b slackBlock) emoji() string {
	var all strings.Builder
	for _, hex := range strings.Split(b.Unicode, "-") {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || n > unicode.MaxRune || !unicode.IsGraphic(rune(n)) && n != 0x200d {
			return ":" + strings.Trim(line(b.Name), ":") + ":"
		}
		all.WriteRune(rune(n))
	}
	return all.String()
}

// richPlain returns the text of elements without styles.
func richPlain(elements []slackBlock) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString(cmp.Or(e.Text.Text, e.URL))
	}
	return b.String()
}

// letters returns a text if it could be the language of a code block, or "".
func letters(text string) string {
	if len(text) > 30 || strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#-_.", r)
	}) {
		return ""
	}
	return text
}
