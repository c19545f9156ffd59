package slack

import (
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// maxLevel is the deepest level of lists.
const maxLevel = 8

// richText converts the elements of a rich_text block, or returns false if it has elements of an unknown type.
func (c *converter) richText(all []block) ([]part, bool) {
	var out []part
	understood := true
	numbers := map[int]int{} // of the last item, by level
	for i := range all {
		e := &all[i]
		spans, ok := c.elements(e.Elements)
		switch e.Type {
		case "rich_text_section":
			out = append(out, para(spans...))
		case "rich_text_quote":
			out = append(out, part{kind: quotePart, parts: []part{para(spans...)}})
		case "rich_text_preformatted":
			out = append(out, part{kind: codePart, code: plainText(spans)})
		case "rich_text_list":
			var items []item
			items, ok = c.list(e, numbers)
			if n := len(out); n > 0 && out[n-1].kind == listPart {
				out[n-1].items = append(out[n-1].items, items...)
			} else {
				out = append(out, part{kind: listPart, items: items})
			}
		default:
			ok = false
		}
		if e.Type != "rich_text_list" {
			clear(numbers)
		}
		understood = understood && ok
	}
	return out, understood
}

// list converts a list, which is on one level: deeper items are in lists of their own.
func (c *converter) list(e *block, numbers map[int]int) (items []item, ok bool) {
	level := int(min(max(e.Indent, 0), maxLevel))
	for l := range numbers {
		if l > level {
			delete(numbers, l)
		}
	}
	if e.Offset > 0 && e.Offset < 1_000_000 {
		numbers[level] = int(e.Offset)
	}
	ok = true
	for i := range e.Elements {
		inner := &e.Elements[i]
		spans, known := c.elements(inner.Elements)
		if inner.Type != "rich_text_section" {
			c.lose("quotes and code in lists become text")
		}
		for j := range spans {
			spans[j].text = strings.ReplaceAll(spans[j].text, "\n", " ")
		}
		it := item{level: level, spans: spans}
		if e.Style.name == "ordered" {
			numbers[level]++
			it.number = numbers[level]
		}
		items, ok = append(items, it), ok && known
	}
	return items, ok
}

// elements converts the elements of a line.
func (c *converter) elements(all []block) ([]span, bool) {
	var out []span
	understood := true
	for i := range all {
		s, ok := c.element(&all[i])
		if !ok {
			understood = false
			continue
		}
		out = append(out, s)
	}
	return out, understood
}

func (c *converter) element(e *block) (span, bool) {
	s := span{style: e.Style.style}
	switch e.Type {
	case "text":
		if s.text = e.Text.text; e.Style.code {
			s.kind = codeSpan
		}
	case "link":
		s = c.linkTo(e.URL.s(), e.Text.text, e.Style.style)
	case "user":
		s = c.mention(e.UserID.s(), "")
	case "channel":
		s = c.channelLink(e.ChannelID.s(), "")
	case "usergroup":
		s.text = "@group"
	case "broadcast":
		s = reference("@**all**", "@all")
	case "emoji":
		s = c.emojiElement(e)
	case "date":
		s = date(e.Timestamp.s(), e.Fallback.s())
	case "color":
		s.text = e.Value.s()
	case "team":
		s.text = e.TeamID.s()
	default:
		return s, false
	}
	return s, true
}

// emojiElement converts an emoji. A known name decides; otherwise the characters that the element contains.
func (c *converter) emojiElement(e *block) span {
	name := e.Name.s()
	if tone := e.SkinTone; tone >= 2 && tone <= 6 && !strings.Contains(name, "::") {
		name += "::skin-tone-" + string(rune('0'+tone))
	}
	if s, ok := c.emoji.show(name); ok {
		s.style = e.Style.style
		return s
	}
	if chars, ok := characters(e.Unicode.s(), 0); ok {
		return span{kind: rawSpan, text: chars, md: chars, style: e.Style.style}
	}
	base, _ := importing.SkinTone(name)
	return styled(":"+base+":", e.Style.style)
}
