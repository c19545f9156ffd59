package format

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

type slackText struct {
	Text string `json:"text"`
}

type slackBlock struct {
	Type      string       `json:"type"`
	Text      slackText    `json:"text"`
	Fields    []slackText  `json:"fields"`
	Elements  []slackBlock `json:"elements"`
	ImageURL  string       `json:"image_url"`
	Alt       string       `json:"alt_text"`
	Title     slackText    `json:"title"`
	Accessory *slackBlock  `json:"accessory"`
}

type slackAttachment struct {
	Title    string       `json:"title"`
	Link     string       `json:"title_link"`
	Pretext  string       `json:"pretext"`
	Text     string       `json:"text"`
	Fallback string       `json:"fallback"`
	Footer   string       `json:"footer"`
	ImageURL string       `json:"image_url"`
	TS       json.Number  `json:"ts"`
	Blocks   []slackBlock `json:"blocks"`
	Fields   []struct {
		Title string `json:"title"`
		Value any    `json:"value"`
	} `json:"fields"`
}

// slack accepts requests in the format of Slack's incoming webhooks.
func slack() Integration {
	return Integration{
		Name: "slack_incoming", Display: "Slack Incoming", Mentions: true,
		Format: func(r Request) (Message, error) {
			if r.Payload != "" {
				r.Type, r.Body = "", []byte(r.Payload)
			} else if len(r.Body) == 0 || strings.HasPrefix(r.Type, "application/x-www-form-urlencoded") ||
				strings.HasPrefix(r.Type, "multipart/") {
				return Message{}, MissingError{"payload"}
			}
			var p struct {
				Text        string            `json:"text"`
				Channel     string            `json:"channel"`
				Emoji       string            `json:"icon_emoji"`
				Blocks      []slackBlock      `json:"blocks"`
				Attachments []slackAttachment `json:"attachments"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			var parts []string
			add := func(text string) {
				if text = strings.TrimSpace(text); text != "" {
					parts = append(parts, text)
				}
			}
			for _, b := range p.Blocks {
				add(b.markdown())
			}
			for _, a := range p.Attachments {
				add(a.markdown())
			}
			if len(parts) == 0 && p.Text != "" {
				add(strings.TrimSpace(line(p.Emoji) + " " + slackMarkdown(p.Text)))
			}
			return Message{Topic: strings.TrimLeft(line(p.Channel), "#@"), Content: strings.Join(parts, "\n\n")}, nil
		},
	}
}

// MissingError reports a missing required parameter.
type MissingError struct{ Param string }

func (e MissingError) Error() string { return "missing " + e.Param }

func (b slackBlock) markdown() string {
	var parts []string
	switch b.Type {
	case "header":
		return "## " + line(b.Text.Text)
	case "divider":
		return "----"
	case "image":
		return link(cmp.Or(b.Title.Text, b.Alt, "image"), b.ImageURL)
	case "section":
		parts = append(parts, slackMarkdown(b.Text.Text))
		for _, f := range b.Fields {
			parts = append(parts, "* "+slackMarkdown(f.Text))
		}
		if b.Accessory != nil && b.Accessory.Type == "image" {
			parts = append(parts, b.Accessory.markdown())
		}
	case "context":
		for _, e := range b.Elements {
			if e.Type == "image" {
				parts = append(parts, e.markdown())
			} else {
				parts = append(parts, slackMarkdown(e.Text.Text))
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

func (a slackAttachment) markdown() string {
	var parts []string
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	if a.Title != "" {
		add("## " + link(a.Title, a.Link))
	}
	add(slackMarkdown(a.Pretext))
	add(slackMarkdown(a.Text))
	var fields []string
	for _, f := range a.Fields {
		value, isText := f.Value.(string)
		if !isText && f.Value != nil {
			b, _ := json.Marshal(f.Value) // a decoded value can be encoded
			value = string(b)
		}
		switch {
		case f.Title != "" && value != "":
			fields = append(fields, "* **"+line(f.Title)+"**: "+slackMarkdown(value))
		case f.Title+value != "":
			fields = append(fields, "* "+slackMarkdown(f.Title+value))
		}
	}
	add(strings.Join(fields, "\n"))
	for _, b := range a.Blocks {
		add(b.markdown())
	}
	if a.ImageURL != "" {
		add(link("Image", a.ImageURL))
	}
	add(slackMarkdown(a.Footer))
	if at, err := strconv.ParseFloat(string(a.TS), 64); err == nil && at > 0 {
		add("<time:" + strconv.FormatInt(int64(at), 10) + ">")
	}
	return strings.Join(parts, "\n\n")
}

var (
	slackLink   = regexp.MustCompile(`<((?:https?://|mailto:)[^<>|\s]+)(?:\|([^<>]*))?>`)
	slackBold   = regexp.MustCompile(`(^|[\s(])\*([^\s*](?:[^*\n]*[^\s*])?)\*`)
	slackItalic = regexp.MustCompile(`(^|[\s(])_([^\s_](?:[^_\n]*[^\s_])?)_`)
	slackStrike = regexp.MustCompile(`(^|[\s(])~([^\s~](?:[^~\n]*[^\s~])?)~`)
)

// slackMarkdown converts Slack's markup to Markdown. It leaves code unchanged.
func slackMarkdown(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		p := slackLink.ReplaceAllStringFunc(parts[i], func(l string) string {
			m := slackLink.FindStringSubmatch(l)
			if m[2] == "" {
				return m[1]
			}
			if strings.HasPrefix(m[1], "mailto:") {
				return m[2]
			}
			return link(m[2], m[1])
		})
		p = slackBold.ReplaceAllString(p, "$1**$2**")
		p = slackItalic.ReplaceAllString(p, "$1*$2*")
		p = slackStrike.ReplaceAllString(p, "$1~~$2~~")
		parts[i] = p
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(strings.Join(parts, "`"))
}
