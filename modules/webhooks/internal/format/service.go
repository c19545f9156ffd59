package format

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/modules/webhooks/internal/template"
)

//go:embed services/*.yaml
var serviceFiles embed.FS

const (
	maxTopic   = 60   // code points
	maxContent = 9900 // code points
	maxEach    = 20   // elements of a payload that are posted
	maxList    = 1000 // elements of a payload that are read
)

// service is a file in the folder services: a service whose messages are templates. README.md there explains the keys.
type service struct {
	Name     string            `yaml:"name"`
	Display  string            `yaml:"display"`
	Setup    string            `yaml:"setup"`
	Requires []string          `yaml:"requires"`
	Each     string            `yaml:"each"`
	Event    string            `yaml:"event"`
	Topic    string            `yaml:"topic"`
	Text     string            `yaml:"text"`
	Other    string            `yaml:"other"`
	Events   map[string]string `yaml:"events"`
	Parts    map[string]string `yaml:"parts"`
	Options  []struct {
		Key   string `yaml:"key"`
		Label string `yaml:"label"`
	} `yaml:"options"`
	Signature *signature `yaml:"signature"`
	Handshake handshake  `yaml:"handshake"`
}

// handshake describes how a service checks a URL before it sends events.
type handshake struct {
	Get  bool   `yaml:"get"`  // by GET or HEAD, which must succeed
	Echo string `yaml:"echo"` // by a header, which the response must repeat
}

// compiled is a service with compiled templates.
type compiled struct {
	service
	event, topic, text, other *template.Template
	events                    map[string]*template.Template
}

// loadServices returns the integrations in a folder of service files.
func loadServices(files fs.FS) ([]Integration, error) {
	names, err := fs.Glob(files, "services/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []Integration
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		one, err := loadService(text)
		if err == nil && "services/"+one.Name+".yaml" != name {
			err = fmt.Errorf("the service is named %q", one.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func loadService(text []byte) (Integration, error) {
	var s service
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return Integration{}, err
	}
	c, err := s.compile()
	if err != nil {
		return Integration{}, err
	}
	one := Integration{
		Name: s.Name, Display: s.Display, Setup: strings.TrimSpace(s.Setup), Format: c.format,
		Get: s.Handshake.Get, Echo: s.Handshake.Echo,
	}
	if len(s.Events) > 0 {
		one.Events = slices.Sorted(maps.Keys(s.Events))
	}
	for _, o := range s.Options {
		one.Options = append(one.Options, Option{o.Key, o.Label, "check_string"})
	}
	if s.Signature != nil {
		one.Verify, err = s.Signature.verifier()
	}
	return one, err
}

func (s service) compile() (*compiled, error) {
	set := &template.Set{Funcs: functions(), Escape: escape}
	var all []error
	parts := map[string]string{}
	for name, text := range s.Parts {
		parts[name] = strings.TrimSpace(text)
	}
	all = append(all, set.Define(parts))
	to := func(key, text string) *template.Template {
		t, err := set.Compile(strings.TrimSpace(text))
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", key, err))
		}
		return t
	}
	c := &compiled{service: s, events: map[string]*template.Template{}}
	c.event, c.topic = to("event", s.Event), to("topic", s.Topic)
	c.text, c.other = to("text", s.Text), to("other", s.Other)
	for name, text := range s.Events {
		c.events[name] = to("events: "+name, text)
	}
	switch {
	case s.Display == "" || s.Setup == "":
		all = append(all, errors.New("display and setup are required"))
	case (s.Event == "") != (len(s.Events) == 0):
		all = append(all, errors.New("event and events require each other"))
	case (s.Text == "") == (s.Event == ""):
		all = append(all, errors.New("either text or events is required"))
	case s.Event == "" && len(s.Requires) == 0:
		all = append(all, errors.New("a service without events requires a field"))
	}
	return c, errors.Join(all...)
}

// format writes the message for a request.
func (c *compiled) format(r Request) (Message, error) {
	payload, err := r.value()
	if err != nil {
		return Message{}, err
	}
	if c.Each == "" {
		return c.one(r, payload)
	}
	list, ok := payload.([]any)
	if in, is := payload.(map[string]any); is && c.Each != "." {
		list, ok = in[c.Each].([]any)
	}
	if !ok {
		return Message{}, anomalous(c.Each)
	}
	if len(list) == 0 {
		return skip("") // a sign of life
	}
	var all Message
	var texts []string
	var failed error
	for i, x := range list[:min(len(list), maxList)] {
		if len(texts) == maxEach {
			texts = append(texts, fmt.Sprintf("and up to %d more", len(list)-i))
			break
		}
		m, err := c.one(r, x)
		if err != nil {
			if all.Event = cmp.Or(all.Event, m.Event); failed == nil || errors.Is(failed, ErrSkip) {
				failed = err
			}
			continue
		}
		if r.Wants != nil && !r.Wants(m.Event) {
			failed = cmp.Or(failed, ErrSkip)
			continue
		}
		all.Event, all.Topic = cmp.Or(all.Event, m.Event), cmp.Or(all.Topic, m.Topic)
		if m.Content != "" {
			texts = append(texts, m.Content)
		}
	}
	if len(texts) == 0 {
		return all, failed
	}
	all.Content = truncate(strings.Join(texts, "\n\n"), maxContent)
	return all, nil
}

// one writes the message for one event.
func (c *compiled) one(r Request, payload any) (Message, error) {
	in := &input{request: r}
	if len(c.Requires) > 0 && !slices.ContainsFunc(c.Requires, func(path string) bool {
		return has(payload, strings.Split(path, "."))
	}) {
		return Message{}, anomalous(strings.Join(c.Requires, " or "))
	}
	plain := func(t *template.Template) string { return line(t.Execute(payload, in, template.Plain)) }
	text := func(t *template.Template) string {
		return strings.TrimSpace(t.Execute(payload, in, template.Line))
	}
	var m Message
	if c.Event == "" {
		m.Content = text(c.text)
	} else {
		in.event = truncate(plain(c.event), 100)
		if in.event == "" {
			return Message{}, AnomalousError{"the event has no name"}
		}
		m.Event = in.event
		if t := c.find(in.event); t != nil {
			m.Content = text(t)
		} else {
			said := fmt.Sprintf("%s sent the event %s.\n", c.Display, code(in.event))
			m.Content = strings.TrimSpace(said + text(c.other))
		}
	}
	m.Content = truncate(m.Content, maxContent)
	m.Topic = truncate(cmp.Or(plain(c.topic), c.Display), maxTopic)
	if m.Content == "" && in.skipped {
		return skip(m.Event)
	}
	return m, nil
}

// find returns the template of an event: that of its name, or of the longest name with * at its end that matches.
func (c *compiled) find(event string) *template.Template {
	best, length := c.events[event], -1
	if best != nil {
		return best
	}
	for name, t := range c.events {
		prefix, ok := strings.CutSuffix(name, "*")
		if ok && strings.HasPrefix(event, prefix) && len(prefix) > length {
			best, length = t, len(prefix)
		}
	}
	return best
}

// has reports whether a payload has a field.
func has(v any, path []string) bool {
	for _, key := range path {
		in, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = in[key]; !ok {
			return false
		}
	}
	return v != nil
}
