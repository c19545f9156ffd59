package markdown_test

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

func TestBlocks(t *testing.T) {
	check(t, byAnn, []row{
		{"nothing", "", ""},
		{"paragraph", "text", "<p>text</p>"},
		{"newline", "a\nb", "<p>a<br>\nb</p>"},
		{"blank line", "a\n\nb", "<p>a</p>\n<p>b</p>"},
		{"line of blanks", "a\n   \nb", "<p>a</p>\n<p>b</p>"},
		{"foreign line ends", "a\r\nb\rc", "<p>a<br>\nb<br>\nc</p>"},
		{"tab", "a\tb", "<p>a   b</p>"},
		{"marks of placeholders", "a\x02" + "0\x03b", "<p>a0b</p>"},
		{"heading", "# T", "<h1>T</h1>"},
		{"last heading", "###### T ##", "<h6>T</h6>"},
		{"too many marks", "####### T", "<p>####### T</p>"},
		{"no white space, no heading", "#T", "<p>#T</p>"},
		{"heading in a paragraph", "a\n## b\nc", "<p>a</p>\n<h2>b</h2>\n<p>c</p>"},
		{"no setext heading", "T\n===", "<p>T<br>\n===</p>"},
		{"rule", "---", "<hr>"},
		{"rules", "a\n***\nb\n_  _  _", "<p>a</p>\n<hr>\n<p>b</p>\n<hr>"},
		{"no rule", "--\n-   -   -x", "<p>--</p>\n<ul>\n<li>\n<ul>\n<li>-x</li>\n</ul>\n</li>\n</ul>"},
		{"indented code", "a\n\n    x <b>\n      y",
			"<p>a</p>\n<div class=\"codehilite\"><pre><span></span><code>x &lt;b&gt;\n  y\n</code></pre></div>"},
		{"no reference links", "[a]: https://x.org\n\n[a]",
			"<p>[a]: <a href=\"https://x.org\">https://x.org</a></p>\n<p>[a]</p>"},
		{"no html", "<b>x</b><script>alert(1)</script>", "<p>&lt;b&gt;x&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		{"no html block", "<div onclick=x>\n\n<!-- hi -->", "<p>&lt;div onclick=x&gt;</p>\n<p>&lt;!-- hi --&gt;</p>"},
		{"me", "/me waves", "<p>/me waves</p>"},
	})
}

func TestQuotes(t *testing.T) {
	check(t, byAnn, []row{
		{"quote", "> q", "<blockquote>\n<p>q</p>\n</blockquote>"},
		{"after text", "a\n> q", "<p>a</p>\n<blockquote>\n<p>q</p>\n</blockquote>"},
		{"lazy", "> q\nr", "<blockquote>\n<p>q<br>\nr</p>\n</blockquote>"},
		{"two", "> q\n\n> r", "<blockquote>\n<p>q</p>\n</blockquote>\n<blockquote>\n<p>r</p>\n</blockquote>"},
		{"nested", "> > q", "<blockquote>\n<blockquote>\n<p>q</p>\n</blockquote>\n</blockquote>"},
		{"two paragraphs", "> q\n>\n> r", "<blockquote>\n<p>q</p>\n<p>r</p>\n</blockquote>"},
		{"marks alone", ">\n> >", "<p>&gt;<br>\n&gt; &gt;</p>"},
		{"silence", "> @**Ann Lee** @*hamlets* @**all** @**topic**", "<blockquote>\n<p><span class=\"user-mention silent\" " +
			"data-user-id=\"31\">Ann Lee</span> <span class=\"user-group-mention silent\" " +
			"data-user-group-id=\"117\">hamlets</span> <span class=\"user-mention channel-wildcard-mention silent\" " +
			"data-user-id=\"*\">all</span> <span class=\"topic-mention silent\">topic</span></p>\n</blockquote>"},
		{"fence", "```quote\na\n\nb\n```", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>"},
		{"fence with code", "````quote\na\n```py\nx\n```\nb\n````\nc", "<blockquote>\n<p>a</p>\n<div class=\"codehilite\" " +
			"data-code-language=\"Python\"><pre><span></span><code><span " +
			"class=\"n\">x</span>\n</code></pre></div>\n<p>b</p>\n</blockquote>\n<p>c</p>"},
		{"fence of the same marks", "```quote\na\n```py\nx\n```\nb\n```\nc", "<blockquote>\n<p>a</p>\n<div " +
			"class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code><span " +
			"class=\"n\">x</span>\n</code></pre></div>\n<p>b</p>\n</blockquote>\n<p>c</p>"},
		{"quotes of the same marks", "```quote\n```quote\na\n```\nb\n```\nc",
			"<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>"},
		{"code is opaque", "```quote\n~~~py\n```quote\n```\n~~~\nb\n```\nc", "<blockquote>\n<div class=\"codehilite\" " +
			"data-code-language=\"Python\"><pre><span></span><code><span class=\"err\">```</span><span " +
			"class=\"n\">quote</span>\n<span class=\"err\">```</span>\n</code></pre></div>\n<p>b</p>\n</blockquote>\n<p>c</p>"},
		{"not closed inside", "```quote\na\n```py\nx\n```\nb", "<blockquote>\n<p>a</p>\n<div class=\"codehilite\" " +
			"data-code-language=\"Python\"><pre><span></span><code><span " +
			"class=\"n\">x</span>\n</code></pre></div>\n<p>b</p>\n</blockquote>"},
		{"fence in fence", "~~~quoted\n```quote\na\n```\n~~~",
			"<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n</blockquote>"},
	})
}

func TestLists(t *testing.T) {
	check(t, byAnn, []row{
		{"stars", "* a\n* b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"marks mixed", "* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"},
		{"numbers", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"from one", "1. a\n1. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"from none", "0. a", "<ol start=\"0\">\n<li>a</li>\n</ol>"},
		{"ten items", "9. a\n10. b", "<ol start=\"9\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"loose", "* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"},
		{"nested", "* a\n  * b\n* c", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>"},
		{"nested by four", "* a\n    * b\n    * c", "<ul>\n<li>a<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n</li>\n</ul>"},
		{"three levels", "* a\n  * b\n    * c\n  * d",
			"<ul>\n<li>a<ul>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n<li>d</li>\n</ul>\n</li>\n</ul>"},
		{"after text", "a\n* b", "<p>a</p>\n<ul>\n<li>b</li>\n</ul>"},
		{"two kinds", "* a\n1. b", "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>"},
		{"lazy line", "* a\nb", "<ul>\n<li>a<br>\nb</li>\n</ul>"},
		{"second paragraph", "* a\n\n  b", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>"},
		{"quote in an item", "* > q", "<ul>\n<li>\n<blockquote>\n<p>q</p>\n</blockquote>\n</li>\n</ul>"},
		{"nested after a blank line", "* a\n\n  * b", "<ul>\n<li>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"},
		{"text after the list", "* a\n\nb", "<ul>\n<li>a</li>\n</ul>\n<p>b</p>"},
		{"no list", "*a\n-b\n1.c", "<p>*a<br>\n-b<br>\n1.c</p>"},
		{"ended by code", "* a\n```\nx\n```\n* b", "<ul>\n<li>a</li>\n</ul>\n<div " +
			"class=\"codehilite\"><pre><span></span><code>x\n</code></pre></div>\n<ul>\n<li>b</li>\n</ul>"},
	})
}

func TestTables(t *testing.T) {
	const two = "<table>\n<thead>\n<tr>\n<th>A</th>\n<th style=\"text-align: " +
		"center;\">B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td style=\"text-align: " +
		"center;\">2</td>\n</tr>\n</tbody>\n</table>"
	check(t, byAnn, []row{
		{"borders", "|A|B|\n|---|:-:|\n|1|2|", two},
		{"no borders", "A | B\n--- | :-:\n1 | 2", two},
		{"cut", "|A|B|\n|---|:-:|\n|1|2|3|", two},
		{"filled up", "|A|B|\n|:--|--:|\n|1", "<table>\n<thead>\n<tr>\n<th style=\"text-align: left;\">A</th>\n<th " +
			"style=\"text-align: right;\">B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style=\"text-align: left;\">1</td>\n<td " +
			"style=\"text-align: right;\"></td>\n</tr>\n</tbody>\n</table>"},
		{"no rows", "|A|\n|-|",
			"<table>\n<thead>\n<tr>\n<th>A</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n</tr>\n</tbody>\n</table>"},
		{"inlines", "|**A**|`a\\|b`|\n|-|-|\n|@**Ann Lee**|x|",
			"<table>\n<thead>\n<tr>\n<th><strong>A</strong></th>\n<th><code>a\\|b</code></th>\n</tr>\n</thead>\n" +
				"<tbody>\n<tr>\n<td><span class=\"user-mention\" data-user-id=\"31\">@Ann Lee</span></td>\n" +
				"<td>x</td>\n</tr>\n</tbody>\n</table>"},
		{"column count mismatch", "|A|B|\n|-|\n", "<p>|A|B|<br>\n|-|</p>"},
		{"no bar", "A\n---", "<p>A</p>\n<hr>"},
	})
}

func TestFences(t *testing.T) {
	plain := func(lang, text string) string {
		if lang != "" {
			lang = ` data-code-language="` + lang + `"`
		}
		return "<div class=\"codehilite\"" + lang + "><pre><span></span><code>" + text + "\n</code></pre></div>"
	}
	formula := func(tex string) string {
		return `<span class="katex-display"><span class="katex"><span class="katex-mathml"><math ` +
			`xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics><mrow><mtext>` + tex +
			`</mtext></mrow><annotation encoding="application/x-tex">` + tex +
			`</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">` + tex + `</span></span></span>`
	}
	check(t, byAnn, []row{
		{"none", "```\nx\n```", plain("", "x")},
		{"tildes", "~~~\nx\n~~~", plain("", "x")},
		{"python", "```python\nprint(1)\n```",
			plain("Python", `<span class="nb">print</span><span class="p">(</span><span class="mi">1</span><span `+
				`class="p">)</span>`)},
		{"js", "``` js\n\n```", ""},
		{"name", "```js\nx\n```", plain("JavaScript", `<span class="nx">x</span>`)},
		{"text", "```text\nx <\n```", plain("Text only", "x &lt;")},
		{"unknown", "```NoSuch+\nx \"'\n```", plain("nosuch+", `x "'`)},
		{"braces", "``` {.py}\nx\n```", plain("Python", `<span class="n">x</span>`)},
		{"header", "```py the header\nx\n```", plain("Python", `<span class="n">x</span>`)},
		{"not closed", "```\nx\n\ny", plain("", "x\n\ny")},
		{"closed by as many", "````\n```\nx\n`````\n````  ", plain("", "```\nx\n`````")},
		{"trimmed", "```\n\n  x  \n\n```", plain("", "  x")},
		{"nothing applies", "```\n**a** @**Ann Lee** :smile: https://x.org &amp;\n```",
			plain("", "**a** @**Ann Lee** :smile: https://x.org &amp;amp;")},
		{"between text", "a\n```\nx\n```\nb", "<p>a</p>\n" + plain("", "x") + "\n<p>b</p>"},
		{"not at column 0", " ```\nx\n ```", "<p><code>\nx\n </code></p>"},
		{"spoiler", "```spoiler The *header*\ncontent\n```", "<div class=\"spoiler-block\"><div " +
			"class=\"spoiler-header\">\n<p>The <em>header</em></p>\n</div><div class=\"spoiler-content\" " +
			"aria-hidden=\"true\">\n<p>content</p>\n</div></div>"},
		{"spoiler without header", "```spoiler\ncontent\n```", "<div class=\"spoiler-block\"><div " +
			"class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" " +
			"aria-hidden=\"true\">\n<p>content</p>\n</div></div>"},
		{"code of the same marks in a spoiler", "```spoiler\n```js\nx\n```\n```\nb",
			"<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" " +
				"aria-hidden=\"true\">\n" + plain("JavaScript", `<span class="nx">x</span>`) + "\n</div></div>\n<p>b</p>"},
		{"point", "```.py\nx\n```", plain("Python", `<span class="n">x</span>`)},
		{"point alone", "```.\nx\n```", plain(".", "x")},
		{"header without a blank", "```py{1,3}\nx\n```", plain("Python", `<span class="n">x</span>`)},
		{"formula is opaque", "```math\n```py\n~~~\n```\nb", "<p>" + formula("```py\n~~~") + "</p>\n<p>b</p>"},
		{"code in a spoiler", "````spoiler\n```\nx\n```\n````", "<div class=\"spoiler-block\"><div " +
			"class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n" + plain("", "x") +
			"\n</div></div>"},
	})
}

// A fence without a language uses the realm's default, even inside another block.
func TestDefaultLanguage(t *testing.T) {
	for language, rows := range map[string]map[string]string{
		"quote": {
			"```\na\n```":                 "<blockquote>\n<p>a</p>\n</blockquote>",
			"```\n~~~\na\n~~~\nb\n```\nc": "<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>",
		},
		"Spoiler": {"```\na\n```": "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div " +
			"class=\"spoiler-content\" aria-hidden=\"true\">\n<p>a</p>\n</div></div>"},
		"math": {"```\na\n```": `<p><span class="katex-display"><span class="katex"><span class="katex-mathml"><math ` +
			`xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics><mrow><mtext>a` +
			`</mtext></mrow><annotation encoding="application/x-tex">a</annotation></semantics></math></span><span ` +
			`class="katex-html" aria-hidden="true">a</span></span></span></p>`},
		"text": {"```\na\n```": "<div class=\"codehilite\"><pre><span></span><code>a\n</code></pre></div>"},
		"js": {"```quote\n~~~\nx\n~~~\n```": "<blockquote>\n<div class=\"codehilite\" " +
			"data-code-language=\"JavaScript\"><pre><span></span><code><span " +
			"class=\"nx\">x</span>\n</code></pre></div>\n</blockquote>"},
	} {
		r := &realm.Realm{Settings: realm.Defaults()}
		r.Settings.DefaultCodeBlockLanguage = language
		v := view().Apply(3, directory.OfRealm(nil, r))
		for in, want := range rows {
			if out, err := renderer().Render(context.Background(), v, byAnn(in)); err != nil || out.HTML != want {
				t.Errorf("%s: %q: %v\n got %s\nwant %s", language, in, err, out.HTML, want)
			}
		}
	}
}
