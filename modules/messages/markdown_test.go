package messages_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

// rendered returns the HTML of a text.
func rendered(s *kittest.Server, text string) string {
	s.T.Helper()
	return s.As("alice").Do("POST /messages/render", "content", text).OK().String("rendered")
}

// highlighted returns the HTML of a text with code. A busy machine may first need all of a text's time to prepare the
// rules of a language, which it then keeps.
func highlighted(s *kittest.Server, text string) (html string) {
	s.T.Helper()
	for range 100 {
		if html = rendered(s, text); strings.Contains(html, `<span class=`) {
			break
		}
	}
	return html
}

// TestFenceHeaders checks that the header of a fence may contain the other fence character, so that a spoiler with such
// a header is hidden, and its own character not.
func TestFenceHeaders(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	spoiler := func(header string) string {
		return `<div class="spoiler-block"><div class="spoiler-header">` + "\n<p>" + header + "</p>\n" +
			`</div><div class="spoiler-content" aria-hidden="true">` + "\n<p>secret</p>\n</div></div>"
	}
	for text, want := range map[string]string{
		"~~~spoiler A `b`\nsecret\n~~~":                spoiler("A <code>b</code>"),
		"~~~~ spoiler ``` or `b`\nsecret\n~~~~":        spoiler("``` or <code>b</code>"),
		"```spoiler ~~old~~ ~/.profile\nsecret\n```":   spoiler("<del>old</del> ~/.profile"),
		"```quote\n~~~spoiler `b`\nsecret\n~~~\n```\n": "<blockquote>\n" + spoiler("<code>b</code>") + "\n</blockquote>",
		"```bash ~/.profile\n\n```":                    "",
		"```spoiler a `b`\nsecret":                     "<p>```spoiler a <code>b</code><br>\nsecret</p>",
		"~~~spoiler a ~ b\nsecret":                     "<p>~~~spoiler a ~ b<br>\nsecret</p>",
	} {
		if got := rendered(s, text); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
	if got := rendered(s, "```bash ~/.profile\nx\n```"); !strings.Contains(got, `data-code-language="Bash"`) {
		t.Errorf("bash: %s", got)
	}
	// Code mentions nobody.
	if got := rendered(s, "```bash ~/.profile\n@**Bob**\n```"); strings.Contains(got, "user-mention") {
		t.Errorf("code mentions: %s", got)
	}
}

// TestBlankLinks checks that a link whose text is invisible shows its address.
func TestBlankLinks(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, blank := range []string{"", " ", "\u00a0", "\u200b", "&nbsp;", "&#8203; &#x20;", "\u2800", "\u00ad"} {
		text := "[" + blank + "](https://x.org/a)"
		if got := rendered(s, text); got != `<p><a href="https://x.org/a">https://x.org/a</a></p>` {
			t.Errorf("%q: %s", text, got)
		}
	}
	for _, visible := range []string{"a", "\U0001F642", "é", "&amp;", "."} {
		if got := rendered(s, "["+visible+"](https://x.org/a)"); !strings.Contains(got, ">"+visible+"</a>") {
			t.Errorf("%q: %s", visible, got)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// TestDeclaredLanguages checks that code without a language is highlighted in the one that its first line names, and
// which of these lines are shown.
func TestDeclaredLanguages(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	const code = "return None"
	for line, shown := range map[string]bool{
		"#!/usr/bin/python": true, "#!/usr/bin/env python3.12": true, "#!/usr/bin/env -S python -u": true,
		"#!/usr/local/my-python/bin/python3": true, "#!python": false, ":::python": false, "::Py ": false,
	} {
		for _, text := range []string{"```\n" + line + "\n" + code + "\n```", "    " + line + "\n    " + code,
			"    " + line + "\n\n    " + code} {
			got := highlighted(s, text)
			if !strings.Contains(got, `<span class="k">return</span>`) || strings.Contains(got, "data-code-language") ||
				strings.Contains(tags.ReplaceAllString(got, ""), strings.TrimSpace(line)) != shown {
				t.Errorf("%q: %s", text, got)
			}
		}
	}
	for _, text := range []string{
		"```\n::std::string s\nreturn None\n```", "```\n:::\nreturn None\n```", "```\n#!\nreturn None\n```",
		"```\n#!/opt/nothing\nreturn None\n```", "```\n:::nothing\nreturn None\n```", "```\n:::python\n```",
		"```\n#!/usr/bin/env\nreturn None\n```", "```\nx\n:::python\nreturn None\n```",
		"```no-such\n:::python\nreturn None\n```",
	} {
		html := rendered(s, text)
		got := strings.TrimSpace(tags.ReplaceAllString(html, ""))
		_, want, _ := strings.Cut(strings.TrimSuffix(text, "\n```"), "\n")
		if strings.Contains(html, `<span class=`) || got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestTemplateLanguages checks that code in two languages is highlighted in both.
func TestTemplateLanguages(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	const php, ruby, jinja = "<?php echo 1; ?>", "<%= x.y %>", "{% if x %}{% endif %}"
	for _, c := range []struct{ word, name, code, host, template string }{
		{"css+php", "CSS+PHP", "a { color: red } " + php, `<span class="nt">a</span>`, `<span class="cp">&lt;?php</span>`},
		{"html+php", "HTML+PHP", "<b>" + php + "</b>", `class="nt"`, `<span class="cp">&lt;?php</span>`},
		{"js+php", "JavaScript+PHP", "let a; " + php, `<span class="kd">let</span>`, `<span class="cp">&lt;?php</span>`},
		{"xml+erb", "XML+Ruby", "<b>" + ruby + "</b>", `class="nt"`, `<span class="cp">&lt;%=</span>`},
		{"css+django", "CSS+Django/Jinja", "a { } " + jinja, `<span class="nt">a</span>`, `<span class="k">if</span>`},
		{"sql+jinja", "SQL+Jinja", "SELECT " + jinja, `<span class="k">SELECT</span>`, `<span class="k">if</span>`},
		{"js+mako", "JavaScript+Mako", "let a; ${x}", `<span class="kd">let</span>`, `<span class="cp">${</span>`},
		{"xml+smarty", "XML+Smarty", "<b>{$x}</b>", `class="nt"`, `<span class="nv">$x</span>`},
		{"css+genshi", "CSS+Genshi Text", "a { color: red } ${x}", `<span class="nt">a</span>`, `<span class="cp">${</span>`},
		{"html+velocity", "HTML+Velocity", "<b>x</b>", `class="nt"`, ""},
	} {
		got := highlighted(s, "```"+c.word+"\n"+c.code+"\n```")
		for _, want := range []string{`data-code-language="` + c.name + `"`, c.host, c.template} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", c.word, want, got)
			}
		}
	}
}
