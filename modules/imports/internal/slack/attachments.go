package slack

import (
	"strings"
)

// attachment is what an app has attached to a message, or what Slack shows of a link.
type attachment struct {
	Fallback, Pretext, Text, Title, Footer, TS text
	AuthorName                                 text        `json:"author_name"`
	AuthorLink                                 text        `json:"author_link"`
	AuthorID                                   text        `json:"author_id"`
	TitleLink                                  text        `json:"title_link"`
	ImageURL                                   text        `json:"image_url"`
	ThumbURL                                   text        `json:"thumb_url"`
	FromURL                                    text        `json:"from_url"`
	OriginalURL                                text        `json:"original_url"`
	IsMessage                                  flag        `json:"is_msg_unfurl"`
	IsShare                                    flag        `json:"is_share"`
	Fields                                     list[field] `json:"fields"`
	Actions                                    list[block] `json:"actions"`
	Blocks                                     list[block] `json:"blocks"`
	MessageBlocks                              list[struct {
		Message object[struct{ Blocks list[block] }]
	}] `json:"message_blocks"`
}

type field struct {
	Title, Value text
	Short        flag
}

// attachments converts attachments. Previews of links are dropped: the server makes its own.
func (c *converter) attachments(all []attachment) []part {
	var out []part
	for i := range all {
		a := &all[i]
		switch {
		case bool(a.IsMessage) || bool(a.IsShare):
			out = append(out, c.shared(a)...)
		case a.FromURL != "" || a.OriginalURL != "":
		default:
			out = append(out, c.attachment(a)...)
		}
	}
	return out
}

// shared quotes a message that was shared.
func (c *converter) shared(a *attachment) []part {
	var blocks list[block]
	for _, b := range a.MessageBlocks {
		blocks = append(blocks, b.Message.get().Blocks...)
	}
	inner, _, unknown := c.blocks(blocks)
	if len(inner) == 0 || unknown {
		inner = c.mrkdwn(first(a.Text.s(), a.Fallback.s()))
	}
	var head []span
	switch author := first(a.AuthorName.s(), c.person(a.AuthorID.s())); {
	case a.FromURL != "" && author != "":
		head = append(head, plain(author+" "), c.linkTo(a.FromURL.s(), "", 0))
	case a.FromURL != "":
		head = append(head, c.linkTo(a.FromURL.s(), "", 0))
	case author != "":
		head = append(head, plain(author+":"))
	}
	if len(inner) == 0 && len(head) == 0 {
		return nil
	}
	return []part{{kind: quotePart, parts: append([]part{para(head...)}, inner...)}}
}

func (c *converter) attachment(a *attachment) []part {
	var out []part
	if a.Pretext != "" {
		out = append(out, c.mrkdwn(a.Pretext.s())...)
	}
	blocks, _, unknown := c.blocks(a.Blocks)
	if unknown {
		c.lose("a block of an unknown type")
	}
	if a.AuthorName != "" {
		out = append(out, para(linkTo(a.AuthorLink.s(), a.AuthorName.s(), bold)))
	}
	if a.Title != "" {
		if a.TitleLink != "" {
			out = append(out, para(linkTo(entities.Replace(a.TitleLink.s()), entities.Replace(a.Title.s()), bold)))
		} else {
			out = append(out, para(styled(entities.Replace(a.Title.s()), bold)))
		}
	}
	if a.Text != "" {
		out = append(out, c.mrkdwn(a.Text.s())...)
	}
	out = append(append(out, c.fields(a.Fields)...), blocks...)
	for _, image := range []text{a.ImageURL, a.ThumbURL} {
		if image != "" {
			out = append(out, para(linkTo(image.s(), "image", 0)))
			break
		}
	}
	if len(out) == 0 && a.Footer == "" {
		out = c.mrkdwn(a.Fallback.s())
	}
	if len(a.Actions) > 0 {
		out = append(out, c.controls(&block{Elements: a.Actions})...)
	}
	if a.Footer != "" {
		foot := []span{styled(entities.Replace(a.Footer.s()), italic)}
		if a.TS != "" {
			foot = append(foot, plain(" · "), date(a.TS.s(), ""))
		}
		out = append(out, para(foot...))
	}
	return out
}

// fields converts fields: short ones are two columns of a table, with titles as its header.
func (c *converter) fields(all []field) []part {
	var out []part
	for i := 0; i < len(all); i++ {
		f := all[i]
		if !f.Short {
			out = append(out, c.long(f)...)
			continue
		}
		pair := []field{f}
		if i+1 < len(all) && bool(all[i+1].Short) {
			i++
			pair = append(pair, all[i])
		}
		rows := [][][]span{nil, nil}
		for _, f := range pair {
			rows[0] = append(rows[0], []span{plain(entities.Replace(f.Title.s()))})
			rows[1] = append(rows[1], flat(c.mrkdwn(f.Value.s())))
		}
		out = append(out, part{kind: tablePart, rows: rows})
	}
	return out
}

// long converts a field that has a line of its own.
func (c *converter) long(f field) []part {
	value := c.mrkdwn(f.Value.s())
	title := strings.TrimSpace(entities.Replace(f.Title.s()))
	if title == "" {
		return value
	}
	head := []span{styled(title+":", bold)}
	if len(value) > 0 && value[0].kind == paraPart {
		value[0].spans = append(append(head, plain(" ")), value[0].spans...)
		return value
	}
	return append([]part{para(head...)}, value...)
}
