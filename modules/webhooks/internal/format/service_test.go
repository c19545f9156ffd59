package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the golden files")

// payload is a request in testdata/NAME.yaml.
type payload struct {
	Name    string            `yaml:"name"`
	Headers map[string]string `yaml:"headers"`
	Params  map[string]string `yaml:"params"`
	Type    string            `yaml:"type"` // default application/json
	Body    string            `yaml:"body"`
}

func (p payload) request() Request {
	r := Request{Type: p.Type, Body: []byte(p.Body), Params: p.Params}
	if r.Type == "" {
		r.Type = "application/json"
	}
	if strings.HasPrefix(p.Type, "application/x-www-form-urlencoded") {
		fields, _ := url.ParseQuery(p.Body)
		r.Payload = fields.Get("payload") // read by the HTTP server
	}
	r.Header = func(name string) string { return p.Headers[name] }
	return r
}

func payloads(t *testing.T, service string) []payload {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", service+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []payload
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d payloads, %v", service, len(all), err)
	}
	return all
}

func services(t *testing.T) []Integration {
	t.Helper()
	all, err := loadServices(serviceFiles)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestServices formats the payloads in testdata/NAME.yaml; testdata/NAME.txt contains the expected messages, which
// -update writes. Each service has at least two payloads, one of them of an event without a template if it has events.
func TestServices(t *testing.T) {
	for _, one := range services(t) {
		t.Run(one.Name, func(t *testing.T) {
			var got strings.Builder
			unknown := len(one.Events) == 0 || slices.Contains(one.Events, "*")
			for _, p := range payloads(t, one.Name) {
				m, err := one.Format(p.request())
				if err != nil && !errors.Is(err, ErrSkip) {
					t.Errorf("%s: %v", p.Name, err)
				}
				fmt.Fprintf(&got, "=== %s\nevent: %s\ntopic: %s\n\n%s\n\n", p.Name, m.Event, m.Topic, m.Content)
				unknown = unknown || strings.Contains(m.Content, "sent the event `"+m.Event+"`")
			}
			if !unknown {
				t.Error("no payload with an event without a template")
			}
			golden := filepath.Join("testdata", one.Name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
				t.Errorf("%v; got\n%s", err, got.String())
			}
		})
	}
}

// only_events and exclude_events apply to each event of a payload with several, and only some of many are posted.
func TestServicesEach(t *testing.T) {
	const change, creation = `{"subscriptionType":"contact.propertyChange","objectId":1}`,
		`{"subscriptionType":"deal.creation","objectId":2}`
	r := payload{Body: "[" + change + "," + creation + strings.Repeat(","+creation, 29) + "]"}.request()
	one := services(t)[slices.IndexFunc(services(t), func(one Integration) bool { return one.Name == "hubspot" })]
	r.Wants = func(event string) bool { return event == "deal.creation" }
	m, err := one.Format(r)
	if n := strings.Count(m.Content, "deal 2"); err != nil || m.Event != "deal.creation" || n != maxEach ||
		!strings.HasSuffix(m.Content, "\n\nand up to 10 more") || strings.Contains(m.Content, "contact 1") {
		t.Errorf("%v, %v", m, err)
	}
	r.Wants = func(string) bool { return false }
	if m, err := one.Format(r); !errors.Is(err, ErrSkip) {
		t.Errorf("%v, %v", m, err)
	}
}

// Payloads of others are refused, so that the owner of the bot is notified.
func TestServicesRefuseOthers(t *testing.T) {
	for _, one := range services(t) {
		for _, body := range []string{`{"hello":"world"}`, `{}`, `null`, `5`, `"x"`} {
			var anomalous AnomalousError
			m, err := one.Format(payload{Body: body}.request())
			if !errors.As(err, &anomalous) {
				t.Errorf("%s: %s gives %q, %v", one.Name, body, m.Content, err)
			}
		}
		if _, err := one.Format(payload{Body: "{"}.request()); !errors.As(err, new(JSONError)) {
			t.Errorf("%s: not JSON: %v", one.Name, err)
		}
	}
}

// Values from payloads cannot mention anyone, or add links, code or blocks to the messages.
func TestServicesEscape(t *testing.T) {
	const hostile = "@**all** #**general** [x](https://evil.example) `c` $$m$$ \n```\n/poll\n# h\n```quote\n@**all**"
	for _, one := range services(t) {
		for _, p := range payloads(t, one.Name) {
			for i := 0; ; i++ {
				body, found := replaceLeaf(t, []byte(p.Body), i, hostile)
				if !found {
					break
				}
				q := p
				q.Body = string(body)
				m, err := one.Format(q.request())
				if err != nil {
					continue
				}
				if got := outsideCode(m.Content); strings.ContainsAny(got, "`") || strings.Contains(got, "@**") ||
					strings.Contains(got, "](https://evil.example)") || strings.Contains("\n"+got, "\n/poll") ||
					strings.Contains(got, "$$") {
					t.Errorf("%s, %s, text %d:\n%s", one.Name, p.Name, i, m.Content)
				}
				if strings.Contains(m.Content, "\n@**") || strings.Contains(m.Topic, "\n") {
					t.Errorf("%s, %s, text %d: mentions in\n%s", one.Name, p.Name, i, m.Content)
				}
			}
		}
	}
}

// outsideCode returns a message without its code and quotations.
func outsideCode(content string) string {
	var out []string
	fence := ""
	for l := range strings.SplitSeq(content, "\n") {
		marks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence != "":
			if l == fence {
				fence = ""
			}
		case len(marks) >= 3:
			fence = marks
		default:
			out = append(out, codeSpan.ReplaceAllString(l, ""))
		}
	}
	return strings.Join(out, "\n") + fence
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// replaceLeaf replaces the nth text of a JSON document.
func replaceLeaf(t *testing.T, body []byte, n int, with string) ([]byte, bool) {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, false
	}
	found := false
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			if n == 0 {
				found = true
				v = with
			}
			n--
			return v
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	v = walk(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out, found
}
