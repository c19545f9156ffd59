package conformance_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// shapes describes what a client requires of the server's data: records by name, each with its keys and their kinds.
// The files in testdata/clients have this syntax:
//
//	record          begins in the first column; "record = a b|c" has the keys of a, and those of b or c
//	  key kind      int number string bool null any, a record, or a literal such as 'text' or 5
//	  key [kind]    a list                      key {kind}     an object with any keys
//	  key a|b       one or the other            key {int:kind} an object with numeric keys
//	  key kind?     the key may be missing      key kind??     missing or null
//
// Further kinds are ascending (increasing numbers), color (#c2c2c2), json (JSON in a string) and never. Additional keys
// are allowed.
type shapes map[string]*shape

type shape struct {
	like []string
	keys []key
	met  bool // a value has matched
}

type key struct{ name, kind string }

func readShapes(t testing.TB, client string) shapes {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "clients", client+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := shapes{}
	var last *shape
	for in := bufio.NewScanner(f); in.Scan(); {
		line, _, _ := strings.Cut(in.Text(), "# ")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case line[0] != ' ':
			last = &shape{}
			if len(words) > 2 {
				last.like = words[2:]
			}
			all[words[0]] = last
		case len(words)%2 != 0 || last == nil:
			t.Fatalf("%s: %q is not a list of keys with kinds", f.Name(), line)
		default:
			for pair := range slices.Chunk(words, 2) {
				last.keys = append(last.keys, key{pair[0], pair[1]})
			}
		}
	}
	return all
}

// check returns descriptions of the values that the client cannot read. A reference to a missing record is an error in
// the file.
func (all shapes) check(record string, v any) (bad []string) {
	all.kind(record, v, "", func(text string) { bad = append(bad, text) })
	return bad
}

func (all shapes) record(name string, v any, at string, report func(string)) {
	good := true
	reportProblem := func(text string) { good = false; report(text) }
	defer func() { all[name].met = all[name].met || good }()
	r, ok := v.(map[string]any)
	if !ok {
		reportProblem(fmt.Sprintf("%s is %s, not an object (%s)", at, brief(v), name))
		return
	}
	for _, other := range all[name].like {
		all.kind(other, v, at, reportProblem)
	}
	for _, k := range all[name].keys {
		kind, optional := strings.CutSuffix(k.kind, "?")
		kind, nullable := strings.CutSuffix(kind, "?")
		x, there := r[k.name]
		switch {
		case !there && optional || there && x == nil && nullable:
		case !there:
			reportProblem(fmt.Sprintf("%s.%s is not there", at, k.name))
		default:
			all.kind(kind, x, at+"."+k.name, reportProblem)
		}
	}
}

func (all shapes) kind(kind string, v any, at string, reportProblem func(string)) {
	if options := alternatives(kind); len(options) > 1 {
		var why []string
		for _, one := range options {
			good := true
			all.kind(one, v, at, func(text string) { good = false; why = append(why, text) })
			if good {
				return
			}
		}
		reportProblem(strings.Join(why, "; or "))
		return
	}
	switch inner, isList := inside(kind, "[]"); {
	case isList:
		list, ok := v.([]any)
		if !ok {
			reportProblem(fmt.Sprintf("%s is %s, not a list", at, brief(v)))
		}
		for i, x := range list {
			all.kind(inner, x, fmt.Sprintf("%s.%d", at, i), reportProblem)
		}
		return
	case all[kind] != nil:
		all.record(kind, v, at, reportProblem)
		return
	}
	if inner, isMap := inside(kind, "{}"); isMap {
		inner, numbered := strings.CutPrefix(inner, "int:")
		r, ok := v.(map[string]any)
		if !ok {
			reportProblem(fmt.Sprintf("%s is %s, not an object", at, brief(v)))
		}
		for k, x := range r {
			if _, err := strconv.Atoi(k); numbered && err != nil {
				reportProblem(fmt.Sprintf("%s.%s is not under a number", at, k))
			}
			all.kind(inner, x, at+"."+k, reportProblem)
		}
		return
	}
	if !simple(kind, v) {
		reportProblem(fmt.Sprintf("%s is %s, not %s", at, brief(v), kind))
	}
}

var hexColor = regexp.MustCompile(`^#[0-9a-f]{6}$`)

func simple(kind string, v any) bool {
	n, isNumber := v.(json.Number)
	text, isText := v.(string)
	switch kind {
	case "any":
		return true
	case "never":
		return false
	case "null":
		return v == nil
	case "bool":
		_, ok := v.(bool)
		return ok
	case "number":
		return isNumber
	case "int":
		_, err := n.Int64()
		return isNumber && err == nil
	case "string":
		return isText
	case "json":
		return isText && json.Valid([]byte(text))
	case "color":
		return hexColor.MatchString(text)
	case "ascending":
		list, ok := v.([]any)
		return ok && slices.IsSortedFunc(list, func(a, b any) int { return int(harness.Int(a) - harness.Int(b)) })
	}
	if quoted, ok := inside(kind, "''"); ok {
		return isText && text == quoted
	}
	return isNumber && n.String() == kind
}

// alternatives splits a kind at each | that is not in brackets.
func alternatives(kind string) (all []string) {
	depth, from := 0, 0
	for i, c := range kind {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '|':
			if depth == 0 {
				all, from = append(all, kind[from:i]), i+1
			}
		}
	}
	return append(all, kind[from:])
}

func inside(kind, marks string) (string, bool) {
	if len(kind) < 2 || kind[0] != marks[0] || kind[len(kind)-1] != marks[1] {
		return "", false
	}
	return kind[1 : len(kind)-1], true
}

func brief(v any) string {
	b, _ := json.Marshal(v)
	return fmt.Sprintf("%.80s", b)
}
