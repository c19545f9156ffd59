package linkifier

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/urltemplate"
)

// Maximum lengths in characters, and maximum sizes of one pattern and of all patterns together (see Work).
const (
	maxPattern      = 1000
	maxTemplate     = 2000
	maxAlternatives = 20
	maxSize         = 400
	maxListSize     = 1500
)

// crossField is the key of problems that concern several fields.
const crossField = "__all__"

// fields returns the fields in the order in which their problems are reported.
func fields() []string {
	return []string{
		"pattern",
		"url_template",
		"example_input",
		"reverse_template",
		"alternative_url_templates",
		crossField,
	}
}

type problems map[string][]string

func (p problems) add(field, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	p[field] = append(p[field], text)
}

// err returns an error with the first problem as its message, and all problems by field in errors.
func (p problems) err() error {
	for _, f := range fields() {
		if len(p[f]) > 0 {
			return errs.Bad("%s", p[f][0]).With("errors", map[string][]string(p))
		}
	}
	return nil
}

// Check validates a linkifier to be added to the list, or to replace the one with the same ID. Errors: BadRequest, with
// all problems by field in errors.
func (l *List) Check(one *Linkifier) error {
	p := problems{}
	tree, groups := pattern(p, one.Pattern)
	variables, ok := template(p, "url_template", one.URLTemplate)
	if tree != nil && ok {
		sameGroups(p, crossField, groups, variables)
	}
	if len(one.Alternatives) > maxAlternatives {
		p.add("alternative_url_templates", "Too many alternative URL templates (limit: %d)", maxAlternatives)
	} else {
		for _, a := range one.Alternatives {
			if variables, ok := template(p, "alternative_url_templates", a); ok && tree != nil {
				sameGroups(p, "alternative_url_templates", groups, variables)
			}
		}
	}
	checkReverse(p, one, tree, groups)
	total := 0
	for _, existing := range l.All() {
		if existing.ID == one.ID {
			continue
		}
		total += existing.size
		if existing.Pattern == one.Pattern {
			p.add(crossField, "Linkifier with this pattern already exists.")
		}
	}
	if tree != nil && total+size(tree) > maxListSize {
		p.add(crossField, "The patterns of all linkifiers together are too large.")
	}
	return p.err()
}

// pattern parses a pattern and returns it with its group names, or nil if it is invalid.
func pattern(p problems, s string) (*syntax.Regexp, []string) {
	if !checkPresent(p, "pattern", s, maxPattern) {
		return nil, nil
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		p.add("pattern", "Bad regular expression: %s", reason(err))
		return nil, nil
	}
	if size(tree) > maxSize {
		p.add("pattern", "Bad regular expression: pattern too large")
		return nil, nil
	}
	groups := slices.DeleteFunc(tree.CapNames(), func(name string) bool { return name == "" })
	slices.Sort(groups)
	for i := range groups {
		if i > 0 && groups[i] == groups[i-1] {
			p.add("pattern", "Bad regular expression: invalid named capture group: %s", groups[i])
			return nil, nil
		}
	}
	return tree, groups
}

func checkPresent(p problems, field, s string, limit int) bool {
	if s == "" {
		p.add(field, "This field cannot be blank.")
		return false
	}
	return checkLength(p, field, s, limit)
}

func checkLength(p problems, field, s string, limit int) bool {
	switch {
	case strings.ContainsRune(s, 0):
		p.add(field, "Null characters are not allowed.")
	case utf8.RuneCountInString(s) > limit:
		p.add(field, "%s is too long (limit: %d characters)", field, limit)
	default:
		return true
	}
	return false
}

// reason describes a pattern's problem in the wording of RE2, which clients show.
func reason(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := e.Code.String()
	switch e.Code {
	case syntax.ErrMissingParen:
		text = "missing )"
	case syntax.ErrMissingBracket:
		text = "missing ]"
	case syntax.ErrInvalidRepeatOp:
		text = "bad repetition operator"
	case syntax.ErrMissingRepeatArgument:
		text = "no argument for repetition operator"
	case syntax.ErrInvalidRepeatSize:
		text = "invalid repetition size"
	case syntax.ErrTrailingBackslash:
		return `trailing \ at end of regexp`
	case syntax.ErrInvalidPerlOp:
		text = "invalid perl operator"
	case syntax.ErrInvalidNamedCapture:
		text = "invalid named capture group"
	}
	return text + ": " + e.Expr
}

// template validates a URL template and returns its variables.
func template(p problems, field, s string) ([]string, bool) {
	if !checkPresent(p, field, s, maxTemplate) {
		return nil, false
	}
	t, err := urltemplate.Parse(s)
	if err != nil {
		p.add(field, "Invalid URL template.")
		return nil, false
	}
	if !safe(t.Beginning()) {
		p.add(field, "URL templates must begin with http://, https:// or mailto:.")
		return nil, false
	}
	return t.Variables(), true
}

// safe reports whether every URL with this beginning opens a web page or an email, and so cannot run code in the
// client.
func safe(beginning string) bool {
	beginning = strings.ToLower(beginning)
	return strings.HasPrefix(beginning, "http://") || strings.HasPrefix(beginning, "https://") ||
		strings.HasPrefix(beginning, "mailto:")
}

// sameGroups checks that a template's variables and the pattern's groups are the same. It reports the first one missing
// from the pattern, or else from the template.
func sameGroups(p problems, field string, groups, variables []string) {
	for _, name := range variables {
		if !slices.Contains(groups, name) {
			p.add(field, "Group '%s' in URL template is not present in linkifier pattern.", name)
			return
		}
	}
	for _, name := range groups {
		if !slices.Contains(variables, name) {
			p.add(field, "Group '%s' in linkifier pattern is not present in URL template.", name)
			return
		}
	}
}

// checkReverse validates the reverse template, which turns URLs back into text: the pattern must match the whole
// example, and the template must reproduce it from the groups.
func checkReverse(p problems, one *Linkifier, tree *syntax.Regexp, groups []string) {
	var parts []string
	ok := true
	if one.Reverse != nil {
		if parts, ok = reverseParts(*one.Reverse); !ok {
			p.add("reverse_template", "Invalid reverse template.")
		}
		ok = checkLength(p, "reverse_template", *one.Reverse, maxTemplate) && ok
		if one.ExampleInput == nil {
			p.add("reverse_template", "Reverse template requires an example input.")
		}
	}
	if one.ExampleInput == nil || !checkLength(p, "example_input", *one.ExampleInput, maxTemplate) || tree == nil || !ok {
		return
	}
	whole, err := regexp.Compile(`\A(?:` + tree.String() + `)\z`)
	if err != nil {
		p.add("pattern", "Bad regular expression: %s", reason(err))
		return
	}
	m := whole.FindStringSubmatch(*one.ExampleInput)
	if m == nil {
		p.add("example_input", "Example input does not match the pattern.")
		return
	}
	if one.Reverse == nil {
		return
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		if !slices.Contains(groups, part) {
			p.add("reverse_template", "Group '%s' in reverse template is not present in linkifier pattern.", part)
			return
		}
		b.WriteString(m[whole.SubexpIndex(part)])
	}
	if b.String() != *one.ExampleInput {
		p.add("reverse_template", "Reverse template does not reproduce the example input.")
	}
}

// reverseParts splits a reverse template into alternating texts and variable names; {{ and }} are literal braces.
func reverseParts(s string) ([]string, bool) {
	parts, text := []string{}, ""
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			i = len(s)
		}
		text, s = text+s[:i], s[i:]
		switch {
		case s == "":
		case strings.HasPrefix(s, "{{"), strings.HasPrefix(s, "}}"):
			text, s = text+s[:1], s[2:]
		default:
			end := strings.IndexByte(s, '}')
			if end < 2 || strings.IndexByte(s[1:end], '{') >= 0 {
				return nil, false
			}
			parts = append(parts, text, s[1:end])
			text, s = "", s[end+1:]
		}
	}
	return append(parts, text), true
}
