package format

import (
	"cmp"
	"strings"
)

// slackDepth is the maximum depth of nested blocks.
const slackDepth = 8

// slackText is a text object. Some senders use a string instead.
type slackText struct {
	Type string `json:"type"` // mrkdwn or plain_text
	Text string `json:"text"`
}

func (t slackText) markdown() string {
	if t.Type == "plain_text" {
		return t.Text
	}
	return slackMarkdown(t.Text)
}

// slackBlock is a block, or an element of a block.
type slackBlock struct {
	Type        string       `json:"type"`
	Text        slackText    `json:"text"`
	Fields      []slackText  `json:"fields"`
	Elements    []slackBlock `json:"elements"`
	ImageURL    string       `json:"image_url"`
	Alt         string       `json:"alt_text"`
	Title       slackText    `json:"title"`
	Description slackText    `json:"description"`
	Label       slackText    `json:"label"`
	Accessory   *slackBlock  `json:"accessory"`
	URL         string       `json:"url"`
	Options     []slackBlock `json:"options"` // of menus
	TitleURL    string       `json:"title_url"`
	VideoURL    string       `json:"video_url"`
	File        struct {
		URL string `json:"url"`
	} `json:"slack_file"`
	Rows [][]slackBlock `json:"rows"` // of tables
	slackRich
}

// markdown formats a block and at most depth levels of nested ones.
func (b slackBlock) markdown(depth int) string {
	if depth == 0 {
		return ""
	}
	var all parts
	switch b.Type {
	case "header":
		return "## " + line(b.Text.Text)
	case "divider":
		return "----"
	case "image":
		address := cmp.Or(b.ImageURL, b.File.URL)
		return link(cmp.Or(b.Title.Text, b.Alt, "image"), address)
	case "video":
		all.add(link(cmp.Or(b.Title.Text, b.Alt, "video"), cmp.Or(b.TitleURL, b.VideoURL)))
		all.add(b.Description.markdown())
	case "actions", "button", "overflow", "workflow_button":
		return slackActions([]slackBlock{b}, depth)
	case "markdown":
		return b.Text.Text
	case "rich_text":
		return richBlock(b.Elements, depth-1)
	case "table":
		return slackTable(b.Rows, depth-1)
	case "mrkdwn", "plain_text": // an element of a context
		return slackText{b.Type, b.Text.Text}.markdown()
	default: // section, context, input and unknown types
		all.add(b.Title.markdown())
		all.add(b.Label.markdown())
		all.add(b.Text.markdown())
		all.add(b.Description.markdown())
		for _, f := range b.Fields[:min(len(b.Fields), 100)] {
			if text := f.markdown(); strings.TrimSpace(text) != "" {
				all = append(all, "* "+indented(text))
			}
		}
		for _, e := range b.Elements {
			if all.full() {
				break
			}
			all.add(e.markdown(depth - 1))
		}
		if b.Accessory != nil {
			all.add(b.Accessory.markdown(depth - 1))
		}
	}
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// slackActions formats the controls with a URL as links. Others need an application that receives their clicks.
func slackActions(all []slackBlock, depth int) string {
	var links parts
	for _, b := range all {
		if b.URL != "" {
			links.add(link(cmp.Or(b.Text.Text, b.Name, b.URL), b.URL))
		}
		if depth > 0 {
			links.add(slackActions(b.Elements, depth-1))
			links.add(slackActions(b.Options, depth-1))
		}
	}
	return strings.Join(links, " · ")
}

// slackTable formats the rows of a table, the first of which is its heading.
func slackTable(rows [][]slackBlock, depth int) string {
	var lines []string
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			text := cell.Text.Text // of a raw_text cell
			if cell.Type == "rich_text" {
				text = cell.markdown(depth)
			}
			cells[j] = strings.ReplaceAll(line(text), "|", "/")
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			lines = append(lines, "|"+strings.Repeat(" --- |", len(row)))
		}
	}
	return strings.Join(lines, "\n")
}
