package format

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/modules/webhooks/internal/template"
)

// input is what templates read besides the payload.
type input struct {
	request Request
	event   string // name of the event; "" in the templates that find it
	skipped bool   // the template decided to post nothing about something
}

// functions returns the functions of templates.
func functions() map[string]template.Func {
	type (
		run  = *template.Run
		call = func(run, []any) any
	)
	f := map[string]template.Func{}
	add := func(name string, minimum, maximum int, c call) {
		f[name] = template.Func{Min: minimum, Max: maximum, Call: c}
	}
	compare := func(name string, holds func(int) bool) {
		add(name, 2, 2, func(r run, a []any) any { return holds(r.Compare(a[0], a[1])) })
	}
	// text adds a function of a text, its last argument, that returns a text.
	text := func(name string, before int, c func(args []string) string) {
		add(name, before+1, before+1, func(r run, a []any) any {
			args := make([]string, len(a))
			for i, v := range a {
				args[i] = r.Text(v)
			}
			return c(args)
		})
	}
	// markdown adds a function of a text that returns Markdown, or nothing for an empty text.
	markdown := func(name string, c func(text string) string) {
		add(name, 1, 1, func(r run, a []any) any {
			if text := r.Text(a[0]); strings.TrimSpace(text) != "" {
				return template.Markdown(c(text))
			}
			return nil
		})
	}

	// Conditions.
	add("and", 1, -1, func(_ run, a []any) any { return choose(a, false) })
	add("or", 1, -1, func(_ run, a []any) any { return choose(a, true) })
	add("not", 1, 1, func(_ run, a []any) any { return !template.True(a[0]) })
	add("eq", 2, -1, func(r run, a []any) any {
		for _, b := range a[1:] {
			if r.Compare(a[0], b) == 0 {
				return true
			}
		}
		return false
	})
	compare("ne", func(c int) bool { return c != 0 })
	compare("lt", func(c int) bool { return c < 0 })
	compare("le", func(c int) bool { return c <= 0 })
	compare("gt", func(c int) bool { return c > 0 })
	compare("ge", func(c int) bool { return c >= 0 })
	add("hasPrefix", 2, 2, func(r run, a []any) any { return strings.HasPrefix(r.Text(a[1]), r.Text(a[0])) })
	add("contains", 2, 2, func(r run, a []any) any { return strings.Contains(r.Text(a[1]), r.Text(a[0])) })
	// case returns the value after the key that equals the first argument, or the last argument if it has no key.
	add("case", 2, -1, func(r run, a []any) any {
		rest := a[1:]
		for len(rest) > 1 {
			if r.Compare(a[0], rest[0]) == 0 {
				return rest[1]
			}
			rest = rest[2:]
		}
		if len(rest) == 1 {
			return rest[0]
		}
		return nil
	})

	// The request.
	add("get", 1, 2, func(r run, a []any) any {
		from := r.Root()
		if len(a) == 2 {
			from = a[1]
		}
		return r.Path(from, strings.Split(r.Text(a[0]), "."))
	})
	add("index", 2, -1, func(r run, a []any) any {
		path := make([]string, len(a)-1)
		for i, key := range a[1:] {
			path[i] = r.Text(key)
		}
		return r.Path(a[0], path)
	})
	// isSet reports whether an object has a member, even if that is null.
	add("isSet", 2, 2, func(r run, a []any) any {
		in, _ := a[1].(map[string]any)
		_, ok := in[r.Text(a[0])]
		return ok
	})
	add("header", 1, 1, func(r run, a []any) any { return envOf(r).request.header(r.Text(a[0])) })
	add("option", 1, 1, func(r run, a []any) any { return envOf(r).request.Params[r.Text(a[0])] })
	add("wantsBranch", 1, 1, func(r run, a []any) any {
		wants := envOf(r).request.wantsBranch(r.Text(a[0]))
		envOf(r).skipped = envOf(r).skipped || !wants
		return wants
	})
	add("skip", 0, 0, func(r run, _ []any) any { envOf(r).skipped = true; return nil })
	add("event", 0, 0, func(r run, _ []any) any { return envOf(r).event })

	// Texts.
	add("print", 1, -1, func(r run, a []any) any {
		var b strings.Builder
		for _, v := range a {
			b.WriteString(r.Text(v))
		}
		return b.String()
	})
	add("join", 2, 2, func(r run, a []any) any {
		list, ok := a[1].([]any)
		if !ok {
			return a[1]
		}
		var parts []string
		for _, v := range list {
			if !r.Spend(1) || len(parts) == 50 {
				break
			}
			parts = append(parts, r.Text(v))
		}
		return strings.Join(parts, r.Text(a[0]))
	})
	text("upper", 0, func(a []string) string { return strings.ToUpper(a[0]) })
	text("lower", 0, func(a []string) string { return strings.ToLower(a[0]) })
	text("words", 0, func(a []string) string { return words(a[0]) })
	text("capital", 0, func(a []string) string {
		first, size := utf8.DecodeRuneInString(a[0])
		if size == 0 {
			return ""
		}
		return string(unicode.ToUpper(first)) + a[0][size:]
	})
	text("plain", 0, func(a []string) string { return plainText(a[0]) })
	text("trimPrefix", 1, func(a []string) string { return strings.TrimPrefix(a[1], a[0]) })
	text("trimSuffix", 1, func(a []string) string { return strings.TrimSuffix(a[1], a[0]) })
	text("before", 1, func(a []string) string { s, _, _ := strings.Cut(a[1], a[0]); return s })
	text("after", 1, func(a []string) string { return afterLast(a[1], a[0]) })
	text("replace", 2, func(a []string) string {
		if a[0] == "" || strings.Count(a[2], a[0])*len(a[1]) > template.MaxValue {
			return a[2] // the result would be too long
		}
		return strings.ReplaceAll(a[2], a[0], a[1])
	})
	add("truncate", 2, 2, func(r run, a []any) any { return truncate(line(r.Text(a[1])), count(a[0])) })
	add("short", 2, 2, func(r run, a []any) any {
		text := []rune(r.Text(a[1]))
		return string(text[:min(len(text), count(a[0]))])
	})
	add("len", 1, 1, func(_ run, a []any) any { return length(a[0]) })
	add("plural", 2, 2, func(r run, a []any) any {
		n, _ := template.Number(a[0])
		return plural(int(n), r.Text(a[1]))
	})

	// Markdown.
	add("link", 2, 2, func(r run, a []any) any {
		text := strings.NewReplacer("[", "(", "]", ")").Replace(title(r.Text(a[0])))
		if md := link(escape(text, false, false), r.Text(a[1])); strings.HasPrefix(md, "[") {
			return template.Markdown(md)
		}
		return text
	})
	markdown("code", func(text string) string { return code(truncate(text, maxInserted)) })
	markdown("bold", func(text string) string { return "**" + escape(text, false, false) + "**" })
	markdown("quote", func(text string) string { return quote(withoutMentions(text)) })
	markdown("codeBlock", func(text string) string { return "\n\n" + fence("", truncate(text, maxQuote)) })
	markdown("lines", func(text string) string { return escape(text, true, true) })
	markdown("raw", func(text string) string { return text })
	markdown("time", clock)
	return f
}

func envOf(r *template.Run) *input {
	in, _ := r.Env().(*input)
	return in
}

// choose returns the first value whose truth is stop, or else the last one.
func choose(values []any, stop bool) any {
	for _, v := range values {
		if template.True(v) == stop {
			return v
		}
	}
	return values[len(values)-1]
}

func count(v any) int {
	n, _ := template.Number(v)
	return int(min(max(n, 1), maxQuote))
}

func length(v any) any {
	n := 0
	switch v := v.(type) {
	case string:
		n = utf8.RuneCountInString(v)
	case template.Markdown:
		n = utf8.RuneCountInString(string(v))
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	}
	return json.Number(strconv.Itoa(n))
}

// words separates a name such as "pull_request" or "pullRequest" into words in lower case.
func words(name string) string {
	var b strings.Builder
	last := ' '
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ':':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		last = r
		b.WriteRune(unicode.ToLower(r))
	}
	return line(b.String())
}

// withoutMentions breaks the mentions in Markdown.
func withoutMentions(text string) string {
	return strings.NewReplacer("@*", "@"+gap+"*", "@_*", "@"+gap+"_*").Replace(text)
}

// clock formats a time, a Unix time in seconds or milliseconds or a text, for the reader's zone and language.
func clock(text string) string {
	text = line(text)
	var t time.Time
	if n, ok := template.Number(text); ok && n > 0 && n < 1e14 {
		if n > 1e11 {
			n /= 1000
		}
		t = time.Unix(int64(n), 0)
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05",
		time.RFC1123, time.RFC1123Z,
	} {
		if !t.IsZero() {
			break
		}
		if at, err := time.Parse(layout, text); err == nil {
			t = at
		}
	}
	if t.IsZero() {
		return escape(text, false, false)
	}
	return "<time:" + t.UTC().Format(time.RFC3339) + ">"
}

// afterLast returns what follows the last sep in a text, or the whole text.
func afterLast(text, sep string) string {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[i+len(sep):]
	}
	return text
}
