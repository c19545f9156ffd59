package format

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// maxTemplate is the maximum length of a template in bytes.
const maxTemplate = 5000

// plainJSON posts any JSON, either indented or through a template in the URL. In the template, {{a.b.0}} is replaced
// with the value at that path.
func plainJSON() Integration {
	return Integration{
		Name: "json", Display: "JSON", Mentions: true,
		Options: []Option{
			{"template", "Template of the message, such as **{{alert.name}}** is {{alert.state}}", "check_string"},
			{"topic_template", "Template of the topic", "check_string"},
		},
		Format: func(r Request) (Message, error) {
			var payload any
			if err := r.decode(&payload); err != nil {
				return Message{}, err
			}
			m := Message{Topic: "JSON"}
			for _, name := range []string{"template", "topic_template"} {
				if len(r.Params[name]) > maxTemplate {
					return Message{}, AnomalousError{name + " is too long"}
				}
			}
			if t := r.Params["topic_template"]; t != "" {
				m.Topic = line(fill(t, payload))
			}
			if t := r.Params["template"]; t != "" {
				m.Content = fill(t, payload)
				return m, nil
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(payload); err != nil {
				return Message{}, JSONError{err}
			}
			m.Content = fence("json", truncate(b.String(), 9900))
			return m, nil
		},
	}
}

var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// fill replaces the placeholders of a template with values from the payload, or with "" if the path does not exist.
func fill(template string, payload any) string {
	return placeholder.ReplaceAllStringFunc(template, func(h string) string {
		v := payload
		for _, key := range strings.Split(placeholder.FindStringSubmatch(h)[1], ".") {
			switch in := v.(type) {
			case map[string]any:
				v = in[key]
			case []any:
				i, err := strconv.Atoi(key)
				if err != nil || i < 0 || i >= len(in) {
					return ""
				}
				v = in[i]
			default:
				return ""
			}
		}
		switch v := v.(type) {
		case nil:
			return ""
		case string:
			return v
		}
		b, _ := json.Marshal(v) // a decoded value can be encoded
		return string(b)
	})
}
