package slack

import (
	"encoding/json"
	"strings"
)

// block is a block of Block Kit, or an element of one.
type block struct {
	Type, URL, Value                text
	Text                            words
	Title                           words
	Label                           words
	Placeholder                     words
	Fields                          list[words]
	Accessory                       object[block]
	Element                         object[block]
	Elements                        list[block]
	Style                           look
	Name, Unicode, Fallback, Border text
	Indent, Offset                  number
	Timestamp                       text
	UserID                          text         `json:"user_id"`
	ChannelID                       text         `json:"channel_id"`
	UsergroupID                     text         `json:"usergroup_id"`
	TeamID                          text         `json:"team_id"`
	ImageURL                        text         `json:"image_url"`
	AltText                         text         `json:"alt_text"`
	VideoURL                        text         `json:"video_url"`
	TitleURL                        text         `json:"title_url"`
	SlackFile                       object[file] `json:"slack_file"`
	SkinTone                        number       `json:"skin_tone"`
	Rows                            list[list[block]]
	Call                            object[struct{ V1 object[struct{ Name text }] }]
}

// words is a text, or an object with a text and its type.
type words struct {
	text  string
	plain bool // without markup
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(b []byte) error {
	*w = words{}
	if len(b) > 0 && b[0] == '{' {
		var o struct{ Type, Text text }
		if json.Unmarshal(b, &o) == nil {
			*w = words{o.Text.s(), o.Type != "mrkdwn"}
		}
		return nil
	}
	var t text
	_ = t.UnmarshalJSON(b) // never fails
	*w = words{t.s(), true}
	return nil
}

// look is a style: an object of an element, or the name of a list's or button's style.
type look struct {
	style style
	code  bool
	name  string
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *look) UnmarshalJSON(b []byte) error {
	*l = look{}
	if len(b) == 0 || b[0] != '{' {
		var t text
		_ = t.UnmarshalJSON(b) // never fails
		l.name = t.s()
		return nil
	}
	var o struct{ Bold, Italic, Strike, Code flag }
	if json.Unmarshal(b, &o) != nil {
		return nil //nolint:nilerr // a malformed style is none
	}
	for _, s := range []struct {
		on    flag
		style style
	}{{o.Bold, bold}, {o.Italic, italic}, {o.Strike, strike}} {
		if s.on {
			l.style |= s.style
		}
	}
	l.code = bool(o.Code)
	return nil
}

// blocks converts blocks. unknown reports whether one of them was not understood.
func (c *converter) blocks(all []block) (out []part, understood, unknown bool) {
	for i := range all {
		parts, ok := c.block(&all[i])
		out = append(out, parts...)
		understood, unknown = understood || ok, unknown || !ok
	}
	return out, understood, unknown
}

// words converts a text that may have markup.
func (c *converter) words(w words) []part {
	if w.plain {
		return []part{para(c.emojiIn(w.text)...)}
	}
	return c.mrkdwn(w.text)
}

// emojiIn converts a text whose only markup is emoji.
func (c *converter) emojiIn(s string) []span {
	var out []span
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] != ':' || alnumAt(s, i-1) {
			continue
		}
		name := emojiName(s[i+1:])
		if sp, ok := c.emoji.show(name); ok && name != "" {
			out = append(out, plain(s[start:i]), sp)
			i += len(name) + 1
			start = i + 1
		}
	}
	return append(out, plain(s[start:]))
}

// line converts a text to spans, without blocks.
func (c *converter) line(w words) []span { return flat(c.words(w)) }

// flat returns the spans of parts, separated by spaces.
func flat(all []part) []span {
	var out []span
	add := func(spans ...span) {
		if len(out) > 0 {
			out = append(out, plain(" "))
		}
		out = append(out, spans...)
	}
	for _, p := range all {
		switch p.kind {
		case codePart:
			add(span{kind: codeSpan, text: strings.TrimSpace(p.code)})
		case quotePart:
			add(flat(p.parts)...)
		case listPart:
			for _, it := range p.items {
				add(append([]span{plain("• ")}, it.spans...)...)
			}
		case tablePart:
			for _, r := range p.rows {
				for _, cell := range r {
					add(cell...)
				}
			}
		case rulePart:
		case rawPart:
			add(plain(p.code))
		default:
			add(p.spans...)
		}
	}
	return out
}

// block converts a block, or returns false if its type is unknown.
func (c *converter) block(b *block) ([]part, bool) {
	switch b.Type {
	case "rich_text":
		return c.richText(b.Elements)
	case "section":
		return c.section(b), true
	case "header":
		return []part{{kind: headingPart, spans: c.line(b.Text)}}, true
	case "context":
		return c.context(b), true
	case "divider":
		return []part{{kind: rulePart}}, true
	case "image":
		return []part{para(c.image(b))}, true
	case "video":
		title := first(b.Title.text, b.AltText.s(), "video")
		return []part{para(linkTo(first(b.TitleURL.s(), b.VideoURL.s()), title, 0))}, true
	case "markdown":
		return []part{{kind: rawPart, code: b.Text.text}}, true
	case "table":
		return c.table(b), true
	case "file": // it is among the files of the message
		return nil, true
	case "call":
		name := b.Call.get().V1.get().Name.s()
		return []part{para(plain(strings.TrimSpace("(call) " + name)))}, true
	case "actions", "input":
		return c.controls(b), true
	}
	return nil, false
}

func (c *converter) section(b *block) []part {
	out := c.words(b.Text)
	if len(b.Fields) > 0 {
		t := part{kind: tablePart, rows: [][][]span{{nil, nil}}}
		for i, f := range b.Fields {
			if i%2 == 0 {
				t.rows = append(t.rows, nil)
			}
			last := len(t.rows) - 1
			t.rows[last] = append(t.rows[last], c.line(f))
		}
		out = append(out, t)
	}
	if a := b.Accessory.v; a != nil {
		if a.Type == "image" {
			return append(out, para(c.image(a)))
		}
		return append(out, c.controls(&block{Elements: list[block]{*a}})...)
	}
	return out
}

func (c *converter) image(b *block) span {
	label := first(b.Title.text, b.AltText.s(), "image")
	if f := b.SlackFile.v; f != nil && b.ImageURL == "" {
		return plain(label)
	}
	return linkTo(first(b.ImageURL.s(), b.URL.s()), label, 0)
}

func (c *converter) context(b *block) []part {
	var spans []span
	for i := range b.Elements {
		if len(spans) > 0 {
			spans = append(spans, plain(" "))
		}
		if e := &b.Elements[i]; e.Type == "image" {
			spans = append(spans, c.image(e))
		} else {
			spans = append(spans, c.line(words{e.Text.text, e.Type == "plain_text"})...)
		}
	}
	return []part{para(spans...)}
}

// controls shows the labels of what people could click or fill in.
func (c *converter) controls(b *block) []part {
	var labels []string
	add := func(s string) {
		if s != "" {
			labels = append(labels, "("+s+")")
		}
	}
	add(b.Label.text)
	for _, e := range b.Elements {
		add(first(e.Text.text, e.Placeholder.text))
	}
	c.lose("buttons and input fields become their labels")
	if len(labels) == 0 {
		return nil
	}
	return []part{para(plain(strings.Join(labels, " ")))}
}

// table converts a table. Cells are texts or rich text.
func (c *converter) table(b *block) []part {
	t := part{kind: tablePart}
	for _, r := range b.Rows {
		var row [][]span
		for i := range r {
			cell := &r[i]
			if cell.Type == "rich_text" {
				parts, _ := c.richText(cell.Elements)
				row = append(row, flat(parts))
				continue
			}
			row = append(row, c.emojiIn(cell.Text.text))
		}
		t.rows = append(t.rows, row)
	}
	return []part{t}
}
