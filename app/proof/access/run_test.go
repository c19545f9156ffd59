package access_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// outcomes holds the results by row, variant and caller.
type outcomes map[*row]map[variant]map[string]string

const allowed = "ok"

// want returns the outcome that the rules require: allowed, a specific error, or "" for any error.
func (r *row) want(x cell) string {
	switch no := r.who(x.c); {
	case no != "":
		return no
	case x.c.elsewhere && r.on != nil && !x.v.everywhere: // objects of this realm do not exist there
		return ""
	case r.may == nil || r.may(x):
		return allowed
	}
	return ""
}

// visible reports whether the caller may know that the cell's object exists.
func (r *row) visible(x cell) bool {
	switch {
	case x.c.elsewhere:
		return x.v.everywhere
	case r.sees != nil:
		return r.sees(x)
	case r.on.sees != nil:
		return r.on.sees(x)
	}
	return true
}

// try makes a row's requests as the given callers. Those that must be refused come first, and must not change anything.
func (w *fixture) try(r *row, who []*caller, got outcomes) {
	w.t.Helper()
	if got[r] == nil {
		got[r] = map[variant]map[string]string{}
	}
	variants := []variant{{}}
	if r.on != nil {
		variants = r.on.variants
	}
	for i, v := range variants {
		if sampled(r) && (i+len(r.title()))%3 != 0 {
			continue
		}
		if got[r][v] == nil {
			got[r][v] = map[string]string{}
		}
		var refused, let []cell
		for _, c := range who {
			x := cell{w: w, c: c, v: v}
			if r.want(x) == allowed {
				let = append(let, x)
			} else {
				x.o = w.object(r.on, v, c)
				refused = append(refused, x)
			}
		}
		w.s.Skip()
		for _, x := range refused {
			got[r][v][x.c.name] = w.cell(r, x)
		}
		if log := w.s.Log(); len(log) > 0 && r.found == nil && !r.tells {
			w.t.Errorf("%s, %s %s: refused requests wrote %d log entries, the first %s/%s", r.title(), v.kind, v.relation,
				len(log), log[0].Type, log[0].Op)
		}
		for _, x := range let {
			x.o = w.object(r.on, v, x.c)
			if r.lasts && r.on != nil {
				x.o = r.on.make(w, v, []*caller{x.c})
			}
			got[r][v][x.c.name] = w.cell(r, x)
			if r.after != nil {
				r.after(w, x)
			}
		}
	}
}

// object returns an object shared by the callers, or the caller's own one if necessary.
func (w *fixture) object(f *family, v variant, c *caller) object {
	if f == nil {
		return object{}
	}
	key, who := f.name+"/"+v.kind+"/"+v.relation, w.all
	switch {
	case v.each && c.inRealm():
		key, who = key+"/"+c.name, []*caller{c}
	case v.each: // it is not theirs in any case
		key, who = key+"/nobody", []*caller{c}
	}
	o, ok := w.shared[key]
	if !ok {
		o = f.make(w, v, who)
		w.shared[key] = o
	}
	return o
}

// cell makes a request, and checks and returns its outcome.
func (w *fixture) cell(r *row, x cell) string {
	w.t.Helper()
	a := r.ask(x)
	got := outcome(a)
	if r.found != nil && got == allowed && !r.found(a, x) {
		got = "not shown"
	}
	where := fmt.Sprintf("%s: %s, %s %s", r.title(), x.c.name, x.v.kind, x.v.relation)
	switch want := r.want(x); {
	case want == "" && got == allowed:
		w.fail(r, "%s: allowed, but the rule refuses it (%s): %.300s", where, r.rule, a.Body)
	case want != "" && got != want:
		w.fail(r, "%s: %s, but the rule says %s (%s): %.300s", where, got, want, r.rule, a.Body)
	case a.Status >= 500:
		w.fail(r, "%s: %d %.300s", where, a.Status, a.Body)
	}
	if r.on == nil || a.Status < 400 || r.who(x.c) != "" || r.visible(x) {
		return got
	}
	none := x
	none.o = object{maps.Clone(r.on.missing)}
	for k, v := range x.o.fields { // keep the fields that the caller has chosen
		if _, differs := none.o.fields[k]; !differs {
			none.o.fields[k] = v
		}
	}
	b := r.ask(none)
	if one, other := r.plain(a, x.o, r.on.missing), r.plain(b, none.o, r.on.missing); one != other {
		w.fail(r, "%s: what is there and what is not are told apart:\n%.400s\n%.400s", where, one, other)
	}
	return got
}

// fail fails the test. It reports only a few failures per row, so that others can be seen.
func (w *fixture) fail(r *row, text string, args ...any) {
	w.t.Helper()
	switch w.faults[r]++; {
	case w.faults[r] < 10:
		w.t.Errorf(text, args...)
	case w.faults[r] == 10:
		w.t.Errorf("%s: and more", r.title())
	}
}

func outcome(a *kittest.Response) string {
	if a.Status < 400 { // some responses redirect
		return allowed
	}
	code := ""
	if strings.HasPrefix(a.Body, "{") && a.Has("code") {
		code = " " + a.String("code")
	}
	return fmt.Sprint(a.Status) + code
}

// replaceWord replaces a value unless it is part of a longer word or number.
func replaceWord(text, value, by string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return b.String() + text[from:]
		}
		at, end := from+i, from+i+len(value)
		b.WriteString(text[from:at])
		if partOfWord(text, at, value[0]) || end < len(text) && isWord(text[end]) && isWord(value[len(value)-1]) {
			b.WriteByte(value[0])
			from = at + 1
			continue
		}
		b.WriteString(by)
		from = end
	}
}

func partOfWord(text string, at int, first byte) bool {
	return at > 0 && isWord(text[at-1]) && isWord(first)
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// plain returns a response without the caller's input, and without anything that differs between responses.
func (r *row) plain(a *kittest.Response, o object, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.Status)
	header := testrun.Comparable(a.Header)
	header.Del("Content-Length") // depends on the lengths of what is replaced below
	for _, k := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintln(&b, k, header[k])
	}
	text := a.Body
	for _, k := range slices.Sorted(maps.Keys(names)) {
		if v := o.fields[k]; v != "" {
			text = replaceWord(text, v, "{"+k+"}")
		}
	}
	if r.same != nil {
		text = r.same(text)
	}
	return b.String() + text
}
