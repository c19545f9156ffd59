package mattermost

import (
	"encoding/json"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// attachment is a message attachment, which Slack has invented.
type attachment struct {
	Fallback   string                           `json:"fallback"`
	Pretext    string                           `json:"pretext"`
	AuthorName string                           `json:"author_name"`
	AuthorLink string                           `json:"author_link"`
	Title      string                           `json:"title"`
	TitleLink  string                           `json:"title_link"`
	Text       string                           `json:"text"`
	Fields     importing.List[attachmentField]  `json:"fields"`
	ImageURL   string                           `json:"image_url"`
	ThumbURL   string                           `json:"thumb_url"`
	Footer     string                           `json:"footer"`
	Actions    importing.List[attachmentAction] `json:"actions"`
}

type attachmentField struct {
	Title string `json:"title"`
	Value any    `json:"value"`
	Short any    `json:"short"`
}

type attachmentAction struct {
	Name string `json:"name"`
}

// attachment returns an attachment as text.
func (s *source) attachment(a attachment) string {
	var title, images []string
	if a.Title != "" {
		title = append(title, "**"+link(s.literal(a.Title), a.TitleLink)+"**")
	}
	for _, url := range []string{a.ImageURL, a.ThumbURL} {
		if url != "" {
			images = append(images, link("image", url))
		}
	}
	var labels []string
	for _, x := range a.Actions.All {
		if x.Name != "" {
			labels = append(labels, "("+s.literal(x.Name)+")")
		}
	}
	author := ""
	if a.AuthorName != "" {
		author = link(s.literal(a.AuthorName), a.AuthorLink)
	}
	text := join("\n", s.markdown(a.Pretext), author, strings.Join(title, ""), s.markdown(a.Text), s.fields(a.Fields.All),
		strings.Join(images, "\n"), s.literal(a.Footer), strings.Join(labels, " "))
	if text == "" {
		return s.markdown(a.Fallback)
	}
	return text
}

// fields returns one field per line, or two short ones.
func (s *source) fields(all []attachmentField) string {
	var lines []string
	open := false // the last line has room for another short field
	for _, f := range all {
		value := ""
		switch v := f.Value.(type) {
		case string:
			value = v
		case nil:
		default:
			text, err := json.Marshal(v)
			if err == nil {
				value = string(text)
			}
		}
		one := s.markdown(value)
		if f.Title != "" {
			one = "**" + s.literal(f.Title) + "**: " + one
		}
		short := (f.Short == true || f.Short == "true") && !strings.Contains(one, "\n")
		if short && open {
			lines[len(lines)-1] += " | " + one
			open = false
			continue
		}
		lines, open = append(lines, one), short
	}
	return strings.Join(lines, "\n")
}

// link returns a link, or only its text if the address is not one that a text may contain.
func link(label, url string) string {
	url = strings.TrimSpace(importing.CleanText(url))
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, " \n\t<>") {
		return label
	}
	url = strings.NewReplacer("(", "%28", ")", "%29").Replace(url)
	return "[" + linkLabel(label) + "](" + url + ")"
}
