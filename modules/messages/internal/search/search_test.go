package search

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"ran":                    "ran",
		"Running, RUNNERS!":      "running ˇrun ˇrunn ˇrunni ˇrunnin run runners ˇrunne ˇrunner runner",
		"don’t stop.":            "don t don＇t stop ˇsto",
		"ﬁne Ångs":               "fine ˇfin angs ˇang ang",
		"日本語 a":                  "日 本 日本 語 本語 a",
		"v1.26 is":               "v1 26 v1．26 ．26 is",
		"नम":                     "नम",
		"abc漢字":                  "abc 漢 字 漢字",
		strings.Repeat("a", 200): strings.Repeat("a", 120) + " ˇaaa ˇaaaa ˇaaaaa ˇaaaaaa",
		"**b** `c` [t](u.org)":   "b c t u org u．org ．org",
		"C++ (#12) ---- x":       "c c＋＋ 12 ＃12 x",
		"ไม่กิน":                 "ไ ม่ ไม่ กิ ม่กิ น กิน",
		"བོད་ཡིག":                "བོ ད བོད ཡི དཡི ག ཡིག",
		"ក្រុង":                  "ក្រុ ង ក្រុង",
		"サーバー":                   "サ ー サー バ ーバ バー",
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
		{"thé late", "late", "", false}, // not a stop word
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
		{"a, b", "b and a", "", true},
		{"1,000", "1,000 of 2", "", true},
		{"1,000", "000 of 1", "", false},
		{"f(x)", "f(x) = 1", "", true},
		{"f(x)", "x of f", "", false},
		{"well-known", "well known", "", true},
		{"e-mail", "e, mail", "", false},
		{"my-site.example.org", "my site.example.org", "", false},
		{"my-site.example.org", "www.my-site.example.org:80", "", true},
		{"“were running”", "were running", "", true},
		{"“running were”", "were running", "", false},
		{"c", "C++ and C#", "", false},
		{"c", "C, not C++", "", true},
		{"t", "can't", "", false},
		{"c++", "ABC++", "", false},
		{"c+", "C++", "", false},
		{"c++", "**C++11**", "", true},
		{":p", ":P", "", true},
		{":p", "p", "", false},
		{"<3", "3", "", false},
		{"::1", "at ::1", "", true},
		{"../lib", "../lib", "", true},
		{"#general", "see #**general**", "", true},
		{"#12", "#123 12", "", false},
		{"@ada", "@**Ada Lovelace** hi", "", true},
		{"10.0.0.1", "10.0.0.12 110.0.0.1", "", false},
		{"ไม", "ไม่", "", false}, // another word
		{"ท", "ที่", "", false},
		{"នំ", "ចូល\u200bនំ\u200bបាន", "", true},
		{"чай", "чаи", "", false},
		{"елка", "Ёлка", "", true},
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

// The index finds every message that matches.
func TestLookups(t *testing.T) {
	for _, c := range [][2]string{
		{"run", "running"}, {"unicorn", "unicorns"}, {"unicorns", "a unicorn"}, {"un", "un"}, {"本", "日本"},
		{"ångström", "Angstroms"}, {"f(x)", "f(x.y)"}, {"c++ c#", "C++/C#7"}, {"x=1", "(x=1)"}, {"__init__", "`__init__`"},
		{"#1", "org/repo#1"}, {"/etc", "a/etc/"}, {"../x", "(../x"}, {"#news", "#**news**"}, {"50%", "50%"},
		{"https://ada@example.org:80/a/b/c/d/e/f/g/h/i/j/k", "<https://ada@example.org:80/a/b/c/d/e/f/g/h/i/j/k>"},
		{"ภาษาไทยนี้อ่านยากมากเลยนะครับ", "ว่าภาษาไทยนี้อ่านยากมากเลยนะครับผม"}, {"མཐའ་མ་", "དེ་མཐའ་མ་རེད།"}, {"ី", "កី"},
	} {
		q, err := Parse(c[0])
		if err != nil || !NewMatcher(q).Matches(c[1], "") {
			t.Errorf("%s does not match %s: %v", c[0], c[1], err)
		}
		tokens := strings.Fields(Tokens(c[1]))
		for _, list := range q.Lookups(false) {
			if !slices.ContainsFunc(list, func(w string) bool { return slices.Contains(tokens, w) }) {
				t.Errorf("%s has %v; %s searches for %v", c[1], tokens, c[0], list)
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

// However long a text or a query is, its index entry and the number of tokens to look up have limits.
func TestSizes(t *testing.T) {
	var letters, hosts strings.Builder
	for i := range rune(5000) {
		letters.WriteString(string('\u0E01'+i%40) + string('\u0E48'+i/40%4))
		hosts.WriteString(string('가'+i) + string('\u0101'+i%300) + ".")
	}
	for _, text := range []string{letters.String(), hosts.String(), strings.Repeat("ﷺ", 10_000),
		strings.Repeat("a.", 5000), strings.Repeat("ก\u0E48", 5000), "ก" + strings.Repeat("\u0E48", 9999)} {
		if n := len(Tokens(text)); n > 6*len(text) {
			t.Errorf("%.20s…: %d bytes become %d", text, len(text), n)
		}
		query := string([]rune(text)[:1000])
		q, err := Parse(query)
		if err == nil && len(q.Lookups(true)) > 50 {
			t.Errorf("%.20s…: %d lookups", text, len(q.Lookups(true)))
		}
	}
	if q, err := Parse(strings.Repeat("a.b ", 50)); err != nil || len(q.Lookups(true)) != 50 {
		t.Errorf("%d lookups: %v", len(q.Lookups(true)), err)
	}
}

func TestHighlight(t *testing.T) {
	const on, off = openMark, closeMark
	for _, c := range []struct{ query, rendered, want string }{
		{"run", `<p>We were <em>[running]</em> a [run]</p>`, ""},
		{"span p", `<p><span class="p">x</span></p>`, ""},
		{"amp", `<p>a &amp; b [amp]</p>`, ""},
		{`"a & b"`, `<p>[A &amp; B]</p>`, ""},
		{"日本", `<p>これは[日本]語です</p>`, ""},
		{`late "so late"`, `<p>[so late]</p>`, ""},
		{"b amp", `<p>&amp;[b]&amp; [amp];[b] [b]&lt;[b]</p>`, ""},
		{`"&"`, `<p>a[&amp;]b&lt;[&amp;]</p>`, ""},
		{`"amp;b"`, `<p>&amp;b [amp;b]</p>`, ""},
		{"x", `<a href="x">[x]`, ""},
		{"at&t", `<p>[AT&amp;T] t &amp;c</p>`, ""},
		{"c++", `<p>[C++]11 c [C++], <code>[C++]</code></p>`, ""},
		{"cafe", "<p>[café] [cafe\u0301] [CAFÉ]s</p>", "<p>[café] [cafe\u0301] [CAFÉs]</p>"},
		{`"café"`, "<p>[café] [cafe\u0301] [CAFÉ]S cafe</p>", ""},
		{"strasse", `<p>die [Straße].</p>`, ""},
		{`"İstanbul x"`, `<p>[İSTANBUL X]</p>`, ""},
		{"ไทย", "<p>ภาษา\u200b[ไทย]\u200bครับ ไทย่</p>", ""},
		{"foo.bar", `<p><span class="n">[foo]</span><span class="o">[.]</span><span class="n">[bar]</span></p>`, ""},
		{"foo", `<p>[foo]_bar x<em>[foo]</em></p>`, ""},
	} {
		q, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if want == "" {
			want = c.rendered
		}
		plain := strings.NewReplacer("[", "", "]", "").Replace(c.rendered)
		got := NewMatcher(q).Content(plain)
		if got != strings.NewReplacer("[", on, "]", off).Replace(want) {
			t.Errorf("%q: %s, want %s", c.query, strings.NewReplacer(on, "[", off, "]").Replace(got), want)
		}
	}
	q, _ := Parse("lunch")
	if got := NewMatcher(q).Subject("<Lunch>"); got != "&lt;"+on+"Lunch"+off+"&gt;" {
		t.Errorf("subject: %s", got)
	}
}

// Highlighting changes no text, no highlight starts inside an element or an entity, and the index finds what matches.
func FuzzHighlight(f *testing.F) {
	f.Add("run amp", "we &amp; ran running <b>run</b>")
	f.Add(`"a&b"`, "a&b A&B &amp")
	f.Add(`""`, "a quotation of nothing")
	f.Add("日本 İ", "これは日本語 İstanbul")
	f.Add("can't c++ .net", "can’t do C++11 in ASP.NET")
	f.Add("ภาษาไทย ក្រុង", "ว่าภาษา\u200bไทย ក្រុងភ្នំ")
	f.Add(`"café" strasse đi`, "CAFE\u0301 Straße Đi ﬁ ı")
	strip := strings.NewReplacer(openMark, "", closeMark, "")
	entity := regexp.MustCompile(`&[#a-zA-Z0-9]*<span`)
	f.Fuzz(func(t *testing.T, query, text string) {
		q, err := Parse(query)
		if err != nil {
			return
		}
		m := NewMatcher(q)
		if utf8.ValidString(text) && m.Matches(text, "") {
			tokens := strings.Fields(Tokens(text))
			for _, list := range q.Lookups(false) {
				if !slices.ContainsFunc(list, func(w string) bool { return slices.Contains(tokens, w) }) {
					t.Errorf("%q matches %q, but %q has none of %q", query, text, tokens, list)
				}
			}
		}
		if strings.Contains(text, "<") {
			return
		}
		escaped := html.EscapeString(text)
		got := m.Content(escaped)
		if strip.Replace(got) != escaped || strings.Count(got, openMark) != strings.Count(got, closeMark) {
			t.Errorf("%q in %q became %q", query, escaped, got)
		}
		for _, e := range entity.FindAllString(got, -1) {
			if strings.Contains(escaped, strings.TrimSuffix(e, "<span")+";") &&
				!strings.Contains(got, e+` class="highlight">&`) {
				t.Errorf("%q in %q became %q", query, escaped, got)
			}
		}
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
