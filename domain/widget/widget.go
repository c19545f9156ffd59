// Package widget holds the rules for interactive messages: polls and to-do lists, and forms sent by bots. A widget is a
// message's first submessage; later submessages are events such as votes. Clients compute the state from all of them.
package widget

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/plainjson"
)

// The kinds of widgets.
const (
	Poll = "poll"
	Todo = "todo"
	Form = "zform"
)

type poll struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
}

type todo struct {
	Title string `json:"task_list_title"`
	Tasks []task `json:"tasks"`
}

type task struct {
	Task string `json:"task"`
	Desc string `json:"desc"`
}

// FromCommand returns the widget requested by a message whose first word is /poll or /todo, as JSON, or false.
func FromCommand(text string) (string, bool) {
	switch kind, title, lines := command(text); kind {
	case Poll:
		p := poll{Question: title, Options: []string{}}
		for _, line := range lines {
			if option := item(line); option != "" {
				p.Options = append(p.Options, option)
			}
		}
		return encode(Poll, p), true
	case Todo:
		t := todo{Title: title, Tasks: []task{}}
		for _, line := range lines {
			name, desc, _ := strings.Cut(item(line), ":")
			if name = strings.TrimSpace(name); name != "" {
				t.Tasks = append(t.Tasks, task{Task: name, Desc: strings.TrimSpace(desc)})
			}
		}
		return encode(Todo, t), true
	}
	return "", false
}

// command returns the kind of the widget that a message requests, the rest of its first line, and the other lines. kind
// is "" if the message requests none.
func command(text string) (kind, title string, lines []string) {
	end := strings.IndexFunc(text, isSpace)
	if end < 0 {
		end = len(text)
	}
	switch text[:end] {
	case "/poll":
		kind = Poll
	case "/todo":
		kind = Todo
	default:
		return "", "", nil
	}
	lines = strings.Split(text[end:], "\n")
	return kind, strings.TrimSpace(lines[0]), lines[1:]
}

// List is a poll or a to-do list as text, with its initial entries.
type List struct {
	Kind, Title string
	Entries     []string
}

// ListFromCommand returns the poll or to-do list requested by a message, or false.
func ListFromCommand(text string) (List, bool) {
	kind, title, lines := command(text)
	l := List{Kind: kind, Title: title}
	for _, line := range lines {
		if entry := item(line); entry != "" {
			l.Entries = append(l.Entries, entry)
		}
	}
	return l, kind != ""
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\n\r\v\f", r) }

// item returns a line's text without a list marker.
func item(line string) string {
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "-"); ok {
		line = rest
	} else if rest, ok := strings.CutPrefix(line, "*"); ok {
		line = rest
	}
	return strings.TrimSpace(line)
}

func encode(kind string, data any) string {
	b, _ := plainjson.Marshal(struct { // strings and lists of strings always encode
		Type string `json:"widget_type"`
		Data any    `json:"extra_data"`
	}{kind, data})
	return string(b)
}

// maxContent is the maximum length of a client's widget description in bytes.
const maxContent = 50_000

// Parse validates a widget described by a client, and returns it as compact JSON with its kind. Errors: BadRequest.
func Parse(text string) (content, kind string, err error) {
	if len(text) > maxContent || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", "", errs.Bad("Widgets: widget_content must be valid text of at most %d bytes", maxContent)
	}
	var w struct {
		Type *string         `json:"widget_type"`
		Data json.RawMessage `json:"extra_data"`
	}
	switch err := json.Unmarshal([]byte(text), &w); {
	case err != nil && !json.Valid([]byte(text)):
		return "", "", errs.Bad("Widgets: API programmer sent invalid JSON content")
	case err != nil:
		return "", "", errs.Bad("Widgets: widget_content is not a dict")
	case w.Type == nil:
		return "", "", errs.Bad("Widgets: widget_type is not in widget_content")
	case w.Data == nil || bytes.TrimSpace(w.Data)[0] != '{':
		return "", "", errs.Bad("Widgets: extra_data is not a dict")
	}
	var data any
	switch *w.Type {
	case Poll:
		data = &poll{}
	case Todo:
		data = &todo{}
	case Form:
		if err := checkForm(w.Data); err != nil {
			return "", "", err
		}
		return encode(Form, w.Data), Form, nil
	default:
		return "", "", errs.Bad("Widgets: unknown widget type: %s", *w.Type)
	}
	if err := json.Unmarshal(w.Data, data); err != nil {
		return "", "", errs.Bad("Widgets: invalid extra_data for a %s", *w.Type)
	}
	return encode(*w.Type, filled(data)), *w.Type, nil
}

// filled replaces nil lists by empty ones, which clients require.
func filled(data any) any {
	switch d := data.(type) {
	case *poll:
		d.Options = append([]string{}, d.Options...)
	case *todo:
		d.Tasks = append([]task{}, d.Tasks...)
	}
	return data
}

func checkForm(data json.RawMessage) error {
	var form struct {
		Type    *string `json:"type"`
		Heading *string `json:"heading"`
		Choices *[]struct {
			Short *string `json:"short_name"`
			Long  *string `json:"long_name"`
			Reply *string `json:"reply"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return errs.Bad("Widgets: invalid extra_data for a form")
	}
	switch {
	case form.Type == nil || *form.Type != "choices":
		return errs.Bad("Widgets: unknown zform type")
	case form.Heading == nil || form.Choices == nil:
		return errs.Bad("Widgets: heading and choices are required")
	}
	for _, c := range *form.Choices {
		if c.Short == nil || c.Long == nil || c.Reply == nil {
			return errs.Bad("Widgets: each choice needs short_name, long_name and reply")
		}
	}
	return nil
}

// KindOf returns the kind of widget that a submessage describes, or "".
func KindOf(content string) string {
	var w struct {
		Type string `json:"widget_type"`
	}
	if json.Unmarshal([]byte(content), &w) != nil {
		return ""
	}
	return w.Type
}
