package format

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slackAttachment is an attachment in the older format. Its color is not represented.
type slackAttachment struct {
	Fallback   string       `json:"fallback"`
	Pretext    string       `json:"pretext"`
	AuthorName string       `json:"author_name"`
	AuthorLink string       `json:"author_link"`
	Title      string       `json:"title"`
	TitleLink  string       `json:"title_link"`
	Text       string       `json:"text"`
	ImageURL   string       `json:"image_url"`
	ThumbURL   string       `json:"thumb_url"`
	Footer     string       `json:"footer"`
	TS         string       `json:"ts"` // seconds, or a date
	Blocks     []slackBlock `json:"blocks"`
	Actions    []slackBlock `json:"actions"`
	Fields     []struct {
		Title string `json:"title"`
		Value string `json:"value"`
	} `json:"fields"`
}

// slack accepts requests in the format of Slack's incoming webhooks.
func slack() Integration {
	return Integration{
		Name: "slack_incoming", Display: "Slack Incoming", Mentions: true,
		Format: func(r Request) (Message, error) {
			if body := r.json(); r.Payload != "" {
				r.Type, r.Body, r.Payload = "", []byte(r.Payload), ""
			} else if len(body) == 0 || !bytes.HasPrefix(body, []byte("{")) && isForm(r.Type) {
				return Message{}, MissingError{"payload"}
			}
			var p struct {
				Text        string            `json:"text"`
				Channel     string            `json:"channel"`
				Emoji       string            `json:"icon_emoji"`
				Markdown    *bool             `json:"mrkdwn"`
				Blocks      []slackBlock      `json:"blocks"`
				Attachments []slackAttachment `json:"attachments"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			var blocks, attachments parts
			for _, b := range p.Blocks {
				if blocks.full() {
					break
				}
				blocks.add(b.markdown(slackDepth))
			}
			for _, a := range p.Attachments {
				if attachments.full() {
					break
				}
				attachments.add(a.markdown())
			}
			text := slackMarkdown(p.Text)
			if p.Markdown != nil && !*p.Markdown {
				text = p.Text
			}
			var all parts
			if len(blocks) > 0 { // the text is a summary of them
				all = append(all, blocks...)
			} else if text = strings.TrimSpace(text); text != "" && !slices.Contains(attachments, text) {
				all.add(strings.TrimSpace(line(p.Emoji) + " " + text))
			}
			all = append(all, attachments...)
			return Message{Topic: strings.TrimLeft(line(p.Channel), "#@"), Content: strings.Join(all, "\n\n")}, nil
		},
	}
}

// MissingError reports a missing required parameter.
type MissingError struct{ Param string }

func (e MissingError) Error() string { return "missing " + e.Param }

// parts collects the parts of a message.
type parts []string

// full reports whether the parts exceed the length of a message, so that no more need to be formatted.
func (p *parts) full() bool {
	n := 0
	for _, one := range *p {
		n += len(one)
	}
	return n > 4*maxMarkup || len(*p) > 300
}

// add adds a part unless it is blank.
func (p *parts) add(text string) {
	if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
		*p = append(*p, text)
	}
}

func (a slackAttachment) markdown() string {
	var all parts
	if a.AuthorName != "" {
		all.add("**" + link(a.AuthorName, a.AuthorLink) + "**")
	}
	if a.Title != "" {
		all.add("## " + link(a.Title, a.TitleLink))
	}
	all.add(slackMarkdown(a.Pretext))
	all.add(slackMarkdown(a.Text))
	var fields []string
	for _, f := range a.Fields[:min(len(a.Fields), 100)] {
		switch {
		case f.Title != "" && f.Value != "":
			fields = append(fields, "* **"+line(f.Title)+"**: "+indented(slackMarkdown(f.Value)))
		case f.Title+f.Value != "":
			fields = append(fields, "* "+indented(slackMarkdown(f.Title+f.Value)))
		}
	}
	all.add(strings.Join(fields, "\n"))
	for _, b := range a.Blocks {
		if all.full() {
			break
		}
		all.add(b.markdown(slackDepth))
	}
	all.add(slackActions(a.Actions, slackDepth))
	if len(all) == 0 || len(all) == 1 && a.AuthorName != "" {
		all.add(slackMarkdown(a.Fallback))
	}
	for _, address := range []string{a.ImageURL, a.ThumbURL} {
		if address != "" {
			all.add(link("Image", address))
		}
	}
	all.add(slackMarkdown(a.Footer))
	all.add(slackTime(a.TS))
	return strings.Join(all, "\n\n")
}

// indented indents all lines but the first of a list item.
func indented(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") }

// slackTime formats a time, which should be a number of seconds, but is also sent in milliseconds and as a date.
func slackTime(ts string) string {
	ts = strings.TrimSpace(ts)
	if n, err := strconv.ParseFloat(ts, 64); err == nil {
		if n > 1e11 {
			n /= 1000
		}
		if math.IsNaN(n) || n <= 0 || n > 1e11 {
			return ""
		}
		return timeTag(int64(n))
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", time.DateTime,
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", time.DateOnly, time.RFC1123, time.RFC1123Z} {
		if at, err := time.Parse(layout, ts); err == nil {
			return timeTag(at.Unix())
		}
	}
	return slackMarkdown(ts)
}

func timeTag(seconds int64) string { return "<time:" + strconv.FormatInt(seconds, 10) + ">" }
