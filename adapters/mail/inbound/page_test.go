package inbound

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestPageText(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"", ""},
		{"plain", "plain"},
		{
			"<html><head><title>no</title><style>p{}</style></head><body><p>one<br>two</p><p>three &amp; <b>fo</b>ur" +
				"</p></body>",
			"one\ntwo\n\nthree & **fo**ur",
		},
		{
			"<div>a</div><div>b  \n c</div><ul><li>x</li><li>y</li></ul><table><tr><td>1</td><td>2</td></tr></table>",
			"a\nb c\n\n- x\n- y\n\n1 2",
		},
		{
			"<div>yes</div><div>On Monday, Alice wrote:</div><blockquote><div>why?</div><blockquote>x</blockquote>" +
				"</blockquote>",
			"yes\nOn Monday, Alice wrote:\n\n> why?\n>\n> > x",
		},
		{"<script>alert(1)</script>ok</p></blockquote></div><template>no", "ok"},
		{"a<script>", "a"},
		// Lines, as several mail clients write them.
		{"<div>Hi<div><br></div><div>second</div><div><br></div><div>third</div></div>", "Hi\n\nsecond\n\nthird"},
		{
			"<p class=MsoNormal>Hi<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>you</p>",
			"Hi\n\nyou",
		},
		{"<p style='margin:0px'>a</p><p style='margin: 0 0 1em'>b</p><p>c</p>", "a\n\nb\n\nc"},
		{"text <div>line</div> tail<p>para</p>end", "text\nline\ntail\n\npara\n\nend"},
		{"<ul><li><div>a</div><div>b</div><li>c<br>d</ul>", "- a\n  b\n- c\n  d"},
		{"<ol start=3><li>a<ul><li>b<pre>c\nd</pre></ul></ol>", "3. a\n\n   - b\n     `c`\n     `d`"},
		{"<dl><dt>T<dd>d</dl>", "T\nd"},
		// Links and images.
		{"<b><a href='https://x.org/a(b)'><i>t</i><img src=x alt=pic></a></b>", "**[tpic](https://x.org/a%28b%29)**"},
		{
			"<a href='javascript:x()'>j</a> <a href='/rel'>r</a> <a href='data:text/html,x'>d</a> " +
				"<a href='https://x.org'></a>",
			"j r d",
		},
		{
			"<a href='https://x.org/'>https://x.org</a> <a href='mailto:a@x.org'>a@x.org</a> " +
				"<a href='https://x.org/1'>[1]</a>",
			"https://x.org/ a@x.org [(1)](https://x.org/1)",
		},
		{"<img src='https://x.org/open.gif'><img alt='image001.png'><img alt='Up 9%'>", "Up 9%"},
		// What is hidden.
		{
			"<div style='DISPLAY: none'>a</div><p hidden>b</p><span style='mso-hide:all'>c</span><!--[if mso]>d" +
				"<![endif]-->e",
			"e",
		},
		{"<head><meta charset=x><div>no head</div>", "no head"},
		// Code, and what has a meaning in Markdown.
		{"<pre><code class='language-go'>a\n  &lt;b&gt;</code></pre>", "```go\na\n  <b>\n```"},
		{"<pre class='language-spoiler'>```\nx</pre>", "````\n```\nx\n````"},
		{"<code>a`b</code> &lt;tag&gt; 1 &lt; 2 <del>gone</del>", "``a`b`` <tag> 1 < 2 ~~gone~~"},
		{"<blockquote><p>a</p><pre>b\nc</pre></blockquote>", "> a\n>\n> `b`\n> `c`"},
		{"<h1>T <a href='https://x.org/'>y</a></h1><hr>z", "# T [y](https://x.org/)\n\n---\n\nz"},
		{
			"<p>a</p><table><tr><th>H<th>V|W<tr><td>a<td align=right>1<br>2<tr><td colspan=2>b</table>",
			"a\n\n| H | V&#124;W |\n|---|---|\n| a | 1 2 |\n| b |  |",
		},
		{
			"<table><caption>C</caption><tr><td><h2>N</h2><p>p</p></td><td>s</td></tr>stray<tr><td>f</table>",
			"## N\n\np\n\ns\n\nf\nC stray",
		},
	} {
		if got := pageText(strings.NewReader(c.page)); got != c.want {
			t.Errorf("%q:\n%q, want\n%q", c.page, got, c.want)
		}
	}
}

// hostilePages returns pages that are expensive to convert without limits.
func hostilePages() map[string]string {
	rep := strings.Repeat
	return map[string]string{
		"quotations":       rep("<blockquote><div>", 100_000) + "x",
		"quoted texts":     rep("<blockquote>x", 100_000),
		"lists":            rep("<ul><li>x", 100_000),
		"unclosed formats": rep("<b a=1>", 500) + rep("<p>x", 100_000),
		"tables in tables": rep("<table><tr><td>x", 50_000),
		"cells":            "<table>" + rep("<td>x", 100_000),
		"rows":             "<table>" + rep("<tr><td>x<td>y", 50_000),
		"spans":            "<table>" + rep("<tr><td colspan=1000000 rowspan=1000000>x<td>y", 50_000),
		"attributes":       "<p " + rep("a=b ", 250_000) + ">x",
		"breaks":           rep("<div>", 95) + rep("x<br>", 100_000),
		"back quotes":      "<pre>" + rep("`", 500_000),
		"headings":         rep("<h1>x", 100_000),
		"images":           rep("<img alt=x>", 80_000),
		"long alts":        rep("<table><tr><td>", 24) + rep("<img alt='"+rep("word ", 1000)+"'>", 1000),
		"many attributes":  rep("<a "+rep("href=a ", 100_000)+">x</a>", 5),
		"lines of code":    rep("<table><tr><td>", 20) + rep("<pre>"+rep("x\n", 5000)+"</pre>", 10),
		"tags":             rep("<", 1_000_000),
		"one word":         rep("x", 1_000_000),
		"links":            rep("<a href='http://x.org/"+rep("a", 3000)+"'>x</a>", 300),
	}
}

// TestHostilePages checks that the memory for a page is limited, however it is nested.
func TestHostilePages(t *testing.T) {
	for name, page := range hostilePages() {
		root, _ := parsePage(strings.NewReader(page))
		nodes, depth := measure(root)
		if nodes > 2*maxNodes || bytesOf(root) > 2*maxAttrs || depth > maxNesting+2 {
			t.Errorf("%s: %d nodes, nested %d deep", name, nodes, depth)
		}
		simplify(root, false)
		if nodes, _ := measure(root); nodes > 4*maxNodes {
			t.Errorf("%s: %d nodes for the conversion", name, nodes)
		}
		if text := pageText(strings.NewReader(page)); len(text) > 8*maxText {
			t.Errorf("%s: a text of %d bytes", name, len(text))
		}
	}
}

// bytesOf returns the size of the texts and attributes of a tree.
func bytesOf(n *html.Node) int {
	size := len(n.Data)
	for _, a := range n.Attr {
		size += len(a.Val) + 10
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		size += bytesOf(child)
	}
	return size
}

// measure returns the number of nodes of a tree, and its depth.
func measure(n *html.Node) (nodes, depth int) {
	nodes = 1
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		below, d := measure(child)
		nodes, depth = nodes+below, max(depth, d)
	}
	return nodes, depth + 1
}

// BenchmarkHostilePages measures the time and memory for pages that are expensive without limits.
func BenchmarkHostilePages(b *testing.B) {
	for name, page := range hostilePages() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pageText(strings.NewReader(page))
			}
		})
	}
}
