package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/modules/webhooks/internal/template"
)

// maxTemplate is the maximum length of a template in bytes.
const maxTemplate = 5000

// templateOptions are the options of the generic integration, in the URL or in the bot's settings.
var templateOptions = []Option{
	{"template", "Template of the message, such as **{{alert.name}}** is {{alert.state}}", "check_string"},
	{"topic_template", "Template of the topic", "check_string"},
}

// plainJSON is the generic integration. It posts any JSON, either indented or through a template, which belongs to the
// user who configures the service.
func plainJSON() Integration {
	set := &template.Set{Funcs: functions(), Escape: escape}
	return Integration{
		Name: "json", Aliases: []string{"generic"}, Display: "JSON", Mentions: true,
		Options: templateOptions, Config: templateOptions,
		Setup: "Any service that can send JSON, a form or plain text. See [Templates](#templates).",
		Format: func(r Request) (Message, error) {
			payload, err := r.anything()
			if err != nil {
				return Message{}, err
			}
			m := Message{Topic: "JSON"}
			for _, o := range templateOptions {
				if len(r.Params[o.Key]) > maxTemplate {
					return Message{}, AnomalousError{o.Key + " is too long"}
				}
			}
			var wrong []string
			fill := func(name string, mode template.Mode) string {
				t, err := set.Compile(withPaths(r.Params[name], set.Funcs))
				if err != nil {
					wrong = append(wrong, fmt.Sprintf("The %s of this webhook has an error: %s",
						words(name), code(truncate(strings.TrimPrefix(err.Error(), "template: "), 200))))
					return ""
				}
				return strings.TrimSpace(t.Execute(payload, &input{request: r}, mode))
			}
			if topic := line(fill("topic_template", template.Plain)); topic != "" {
				m.Topic = topic
			}
			m.Content = fill("template", template.Lines)
			if m.Content == "" && !blocks.MatchString(r.Params["template"]) || len(wrong) > 0 {
				var b bytes.Buffer
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				if err := enc.Encode(payload); err != nil {
					return Message{}, JSONError{err}
				}
				wrong = append(wrong, fence("json", truncate(b.String(), maxContent-500)))
				m.Content = strings.Join(wrong, "\n")
			}
			if m.Content = truncate(m.Content, maxContent); m.Content == "" {
				return m, ErrSkip // a condition of the template
			}
			return m, nil
		},
	}
}

// anything returns the payload of a request as decoded JSON. A plain text becomes the member text of an object.
func (r Request) anything() (any, error) {
	if r.Type == "text/plain" && len(r.Body) > 0 && utf8.Valid(r.Body) && !json.Valid(r.Body) {
		return map[string]any{"text": string(r.Body)}, nil
	}
	return r.value()
}

var (
	placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	blocks      = regexp.MustCompile(`\{\{-?\s*(if|with|range)\s`) // a template that may be empty on purpose
	word        = regexp.MustCompile(`^[A-Za-z]+`)
)

// withPaths replaces placeholders that consist of a path, such as {{a.b.0}} or {{a.b.0 | code}}, by expressions. Paths
// are shorter than expressions, and can contain any characters that occur in the names of members.
func withPaths(text string, functions map[string]template.Func) string {
	hasBlocks := blocks.MatchString(text)
	return placeholder.ReplaceAllStringFunc(text, func(h string) string {
		inner := strings.TrimSpace(h[2 : len(h)-2])
		path, rest, piped := strings.Cut(inner, "|")
		if path = strings.TrimSpace(path); path == "" || isExpression(path, hasBlocks, functions) {
			return h
		}
		if piped {
			rest = " |" + rest
		}
		return "{{get " + strconv.Quote(path) + rest + "}}"
	})
}

// isExpression reports whether a placeholder has the syntax of text/template.
func isExpression(text string, hasBlocks bool, functions map[string]template.Func) bool {
	if strings.ContainsRune(".$(\"`/-", rune(text[0])) || strings.HasSuffix(text, " -") {
		return true
	}
	first := word.FindString(text)
	switch rest := text[len(first):]; {
	case rest == "":
		return hasBlocks && (first == "end" || first == "else")
	case strings.HasPrefix(rest, " "), strings.HasPrefix(rest, "("):
		_, function := functions[first]
		return function || first == "if" || first == "else" || first == "with" || first == "range"
	}
	return false
}
