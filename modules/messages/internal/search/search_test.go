package search

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"ran":                    "ran",
		"Running, RUNNERS!":      "running ˇrun ˇrunn ˇrunni ˇrunnin run runners ˇrunne ˇrunner runner",
		"don't stop":             "don t stop ˇsto",
		"ﬁne Ångs":               "fine ˇfin ångs ˇång",
		"日本語 a":                  "日 本 日本 語 本語 a",
		"go1.26 is":              "go1 26 is",
		"नम":                     "नम",
		"abc漢字":                  "abc 漢 字 漢字",
		strings.Repeat("a", 200): strings.Repeat("a", 120) + " ˇaaa ˇaaaa ˇaaaaa ˇaaaaaa",
		"**b** `c` [t](u.org)":   "b c t u org",
	} {
		if got := Tokens(text); got != want {
			t.Errorf("Tokens(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		query, content, topic string
		want                  bool
	}{
		{"run", "We were running late", "", true},
		{"runs late", "We were running late", "", true},
		{"late running", "running", "late again", true},
		{"running early", "We were running late", "", false},
		{"lat", "late", "", true},
		{"la", "late", "", false},
		{"ate", "late", "", false},
		{"the late", "late", "", true},
		{"the", "late", "", false},
		{"the", "the end", "", true},
		{`"were running"`, "We were running late", "", true},
		{`"running were"`, "We were running late", "", false},
		{`"WERE running" late`, "We were running late", "", true},
		{`"lunch"`, "x", "Lunch today", true},
		{`"not closed`, "closed it is not", "", true},
		{"日本", "これは日本語です", "", true},
		{"日語", "これは日本語です", "", false},
		{"日本語", "日本人の語", "", false},
		{"本", "日本", "", true},
		{":-)", "hello :-)", "", true},
		{":-)", "hello", "", false},
		{"ÅNGSTRÖM", "ångström", "", true},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if got := NewMatcher(q).Matches(c.content, c.topic); got != c.want {
			t.Errorf("%q in %q, %q: %v", c.query, c.content, c.topic, got)
		}
	}
}

// Lookup finds every message that matches.
func TestLookup(t *testing.T) {
	for _, c := range [][2]string{{"run", "running"}, {"unicorn", "unicorns"}, {"unicorns", "a unicorn"}, {"un", "un"},
		{"本", "日本"}, {"ångström", "Ångströms"}} {
		q, err := Parse(c[0])
		if err != nil || !NewMatcher(q).Matches(c[1], "") {
			t.Fatalf("%s does not match %s: %v", c[0], c[1], err)
		}
		tokens := strings.Fields(Tokens(c[1]))
		for _, term := range q.Terms {
			if !slices.ContainsFunc(term.Lookup(), func(w string) bool { return slices.Contains(tokens, w) }) {
				t.Errorf("%s has %v; %s searches for %v", c[1], tokens, c[0], term.Lookup())
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "  ", `""`, `" "`, `"`, strings.Repeat("a", 1001), strings.Repeat("a1 ", 51)} {
		if q, err := Parse(text); err == nil {
			t.Errorf("%.20q became %v", text, q)
		}
	}
}

func TestHighlight(t *testing.T) {
	const on, off = openMark, closeMark
	for _, c := range []struct{ query, rendered, want string }{
		{"run", `<p>We were <em>running</em> a run</p>`, `<p>We were <em>` + on + "running" + off + `</em> a ` + on + "run" +
			off + `</p>`},
		{"span p", `<p><span class="p">x</span></p>`, `<p><span class="p">x</span></p>`},
		{"amp", `<p>a &amp; b amp</p>`, `<p>a &amp; b ` + on + "amp" + off + `</p>`},
		{`"a & b"`, `<p>A &amp; B</p>`, `<p>` + on + "A &amp; B" + off + `</p>`},
		{"日本", `<p>これは日本語です</p>`, `<p>これは` + on + "日本" + off + `語です</p>`},
		{`late "so late"`, `<p>so late</p>`, `<p>` + on + "so late" + off + `</p>`},
		{"b amp", `<p>&amp;b&amp; amp;b b&lt;b</p>`, `<p>&amp;` + on + "b" + off + `&amp; ` + on + "amp" + off + `;` + on +
			"b" + off + ` ` + on + "b" + off + `&lt;` + on + "b" + off + `</p>`},
		{`"&"`, `<p>a&amp;b&lt;&amp;</p>`, `<p>a` + on + "&amp;" + off + `b&lt;` + on + "&amp;" + off + `</p>`},
		{`"amp;b"`, `<p>&amp;b amp;b</p>`, `<p>&amp;` + on + "b" + off + ` ` + on + "amp;b" + off + `</p>`},
		{"x", `<a href="x">x`, `<a href="x">` + on + "x" + off},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := NewMatcher(q).Content(c.rendered); got != c.want {
			t.Errorf("%q: %s, want %s", c.query, got, c.want)
		}
	}
	q, _ := Parse("lunch")
	if got := NewMatcher(q).Subject("<Lunch>"); got != "&lt;"+on+"Lunch"+off+"&gt;" {
		t.Errorf("subject: %s", got)
	}
}

// Highlighting changes no text, and no highlight starts inside an element or an entity.
func FuzzHighlight(f *testing.F) {
	f.Add("run amp", "we &amp; ran running <b>run</b>")
	f.Add(`"a&b"`, "a&b A&B &amp")
	f.Add(`""`, "a quotation of nothing")
	f.Add("日本 İ", "これは日本語 İstanbul")
	strip := strings.NewReplacer(openMark, "", closeMark, "")
	entity := regexp.MustCompile(`&[#a-zA-Z0-9]*<span`)
	f.Fuzz(func(t *testing.T, query, text string) {
		q, err := Parse(query)
		if err != nil {
			return
		}
		if strings.Contains(text, "<") {
			return
		}
		escaped := html.EscapeString(text)
		got := NewMatcher(q).Content(escaped)
		if strip.Replace(got) != escaped || strings.Count(got, openMark) != strings.Count(got, closeMark) {
			t.Errorf("%q in %q became %q", query, escaped, got)
		}
		for _, e := range entity.FindAllString(got, -1) {
			if strings.Contains(escaped, strings.TrimSuffix(e, "<span")+";") &&
				!strings.Contains(got, e+` class="highlight">&`) {
				t.Errorf("%q in %q became %q", query, escaped, got)
			}
		}
		NewMatcher(q).Matches(text, "")
	})
}

// A message that consists only of entities is highlighted as fast as any other.
func BenchmarkHighlight(b *testing.B) {
	for name, text := range map[string]string{"words": strings.Repeat("a to ", 3300),
		"entities": strings.Repeat("a &amp; ", 3300)} {
		b.Run(name, func(b *testing.B) {
			q, err := Parse(`a "a"`)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				NewMatcher(q).Content(text)
			}
		})
	}
}
