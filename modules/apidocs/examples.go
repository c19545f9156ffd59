package apidocs

import (
	_ "embed" // examples.txt
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit/openapi"
)

// example is a program that calls an operation.
type example struct{ Name, Language, Text string }

// examples.txt says with which parameters examples call operations: a line each, the ID and pairs of name and JSON.
// Examples of other operations have the required parameters, as tests have sent them or with values of their types.
//
//go:embed data/examples.txt
var examplesText string

// argument is a parameter of an example.
type argument struct {
	name, in string
	value    json.RawMessage
}

func (a argument) text() string {
	var s string
	if json.Unmarshal(a.value, &s) == nil {
		return s
	}
	return string(a.value)
}

// chosen returns the parameters in examples.txt.
func chosen(id string) (map[string]json.RawMessage, bool) {
	for line := range strings.Lines(examplesText) {
		if name, text, _ := strings.Cut(strings.TrimSpace(line), " "); name == id {
			all := map[string]json.RawMessage{}
			return all, json.Unmarshal([]byte(text), &all) == nil
		}
	}
	return nil, false
}

func (o *operation) arguments() []argument {
	given, ok := chosen(o.ID)
	var all []argument
	for _, f := range o.Fields {
		value, has := given[f.Name]
		if !has && f.Required && (!ok || f.In == "path") {
			value, has = f.Example, true
			if value == nil {
				value = placeholder(f.Schema)
			}
		}
		if has && f.In != "header" {
			all = append(all, argument{f.Name, f.In, value})
		}
	}
	return all
}

// placeholder returns a value of a type.
func placeholder(s *openapi.Schema) json.RawMessage {
	kinds := openapi.Kinds(s)
	if len(kinds) == 0 {
		if forms := slices.Concat(s.OneOf, s.AnyOf); len(forms) > 0 {
			return placeholder(forms[0])
		}
		return json.RawMessage(`{}`)
	}
	switch kinds[0] {
	case "integer", "number":
		return json.RawMessage("1")
	case "boolean":
		return json.RawMessage("true")
	case "array":
		return json.RawMessage("[]")
	case "object":
		return json.RawMessage("{}")
	}
	return json.RawMessage(`"text"`)
}

// examples returns a copy of the operation with examples for a server.
func (o *operation) examples(address string) *operation {
	c := *o
	path, query, body := o.Path, []argument{}, []argument{}
	for _, a := range o.arguments() {
		switch a.in {
		case "path":
			path = strings.ReplaceAll(path, "{"+a.name+"}", url.PathEscape(a.text()))
		case "query":
			query = append(query, a)
		default:
			body = append(body, a)
		}
	}
	call := call{o, strings.TrimSuffix(address, "/") + path, query, body, !o.anyone()}
	c.Examples = []example{
		{"curl", "bash", call.curl()}, {"Python", "python", call.python()}, {"JavaScript", "javascript", call.script()},
	}
	return &c
}

// anyone reports whether the operation needs no login.
func (o *operation) anyone() bool { return len(o.Security) == 1 && len(o.Security[0]) == 0 }

// call is a call of an operation, with URL and arguments.
type call struct {
	*operation

	url         string
	query, body []argument
	login       bool
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (c call) curl() string {
	lines := []string{"curl -sS"}
	if len(c.query) > 0 {
		lines[0] += " -G"
	}
	if c.Method != "GET" && (c.Method != "POST" || len(c.body) == 0) {
		lines[0] += " -X " + c.Method
	}
	if c.login {
		lines[0] += " -u 'bot@example.com:API_KEY'"
	}
	lines[0] += " " + shellQuote(c.url)
	for _, a := range slices.Concat(c.query, c.body) {
		switch {
		case c.File && a.in == "body" && string(a.value) == "{}":
			lines = append(lines, "-F "+shellQuote(a.name+"=@hello.txt"))
		case c.File:
			lines = append(lines, "-F "+shellQuote(a.name+"="+a.text()))
		default:
			lines = append(lines, "--data-urlencode "+shellQuote(a.name+"="+a.text()))
		}
	}
	return strings.Join(lines, " \\\n  ")
}

func (c call) python() string {
	var b strings.Builder
	fmt.Fprintf(&b, "import requests\n\nresponse = requests.%s(\n    %s,\n", strings.ToLower(c.Method), literal(c.url))
	if c.login {
		b.WriteString("    auth=(\"bot@example.com\", \"API_KEY\"),\n")
	}
	if len(c.query) > 0 {
		fmt.Fprintf(&b, "    params=%s,\n", pythonTexts(c.query))
	}
	switch {
	case c.File:
		b.WriteString("    files={\"file\": open(\"hello.txt\", \"rb\")},\n")
	case len(c.body) > 0:
		fmt.Fprintf(&b, "    json=%s,\n", pythonValues(c.body))
	}
	if c.Redirect {
		b.WriteString("    allow_redirects=False,\n")
	}
	b.WriteString(")\n")
	switch {
	case c.Redirect:
		b.WriteString("print(response.status_code, response.headers.get(\"Location\"))")
	case c.Download:
		b.WriteString("print(response.status_code, len(response.content))")
	default:
		b.WriteString("print(response.json())")
	}
	return b.String()
}

func (c call) script() string {
	var b strings.Builder
	target := literal(c.url)
	if len(c.query) > 0 {
		var pairs []string
		for _, a := range c.query {
			pairs = append(pairs, literal(a.name)+": "+literal(a.text()))
		}
		fmt.Fprintf(&b, "const query = new URLSearchParams({ %s });\n", strings.Join(pairs, ", "))
		target += " + \"?\" + query"
	}
	if c.File {
		b.WriteString("const form = new FormData();\nform.append(\"file\", new Blob([\"Hello\"]), \"hello.txt\");\n")
	}
	fmt.Fprintf(&b, "const response = await fetch(%s, {\n  method: %s,\n", target, literal(c.Method))
	var headers []string
	if c.login {
		headers = append(headers, "Authorization: \"Basic \" + btoa(\"bot@example.com:API_KEY\")")
	}
	if len(c.body) > 0 && !c.File {
		headers = append(headers, "\"Content-Type\": \"application/json\"")
	}
	if len(headers) > 0 {
		fmt.Fprintf(&b, "  headers: { %s },\n", strings.Join(headers, ", "))
	}
	switch {
	case c.File:
		b.WriteString("  body: form,\n")
	case len(c.body) > 0:
		var pairs []string
		for _, a := range c.body {
			pairs = append(pairs, literal(a.name)+": "+string(a.value))
		}
		fmt.Fprintf(&b, "  body: JSON.stringify({ %s }),\n", strings.Join(pairs, ", "))
	}
	if c.Redirect {
		b.WriteString("  redirect: \"manual\",\n")
	}
	b.WriteString("});\n")
	switch {
	case c.Redirect:
		b.WriteString("console.log(response.status);")
	case c.Download: // the program would not end before all of it has arrived
		b.WriteString("console.log(response.status, (await response.arrayBuffer()).byteLength);")
	default:
		b.WriteString("console.log(await response.json());")
	}
	return b.String()
}

func pythonTexts(all []argument) string {
	var pairs []string
	for _, a := range all {
		pairs = append(pairs, literal(a.name)+": "+literal(a.text()))
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

func pythonValues(all []argument) string {
	var pairs []string
	for _, a := range all {
		pairs = append(pairs, literal(a.name)+": "+pythonValue(a.value))
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// pythonWords are the words of JSON that Python has others for.
var pythonWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|true|false|null`)

// pythonValue returns the Python literal of JSON.
func pythonValue(value json.RawMessage) string {
	return pythonWords.ReplaceAllStringFunc(string(value), func(word string) string {
		switch word {
		case "true":
			return "True"
		case "false":
			return "False"
		case "null":
			return "None"
		}
		return word // a string
	})
}

// literal returns the JSON of a value.
func literal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
