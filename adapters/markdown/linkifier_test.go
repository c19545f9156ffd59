package markdown_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/linkifier"
	md "github.com/stoachat/stoa/domain/markdown"
)

// linkified returns the view of a realm with linkifiers with the given patterns and templates, in this order.
func linkified(pairs ...[2]string) *directory.View {
	v := view()
	for i, p := range pairs {
		v = v.Apply(int64(3+i), linkifier.Change(nil, &linkifier.Linkifier{ID: linkifier.ID(i + 1), Order: int64(i),
			Pattern: p[0], URLTemplate: p[1]}))
	}
	return v
}

func withLinkifiers() *directory.View {
	return linkified(
		[2]string{`#(?P<id>[0-9]+)`, "https://i.org/{id}"},
		[2]string{`#(?P<id>[0-9]+)-(?P<sub>[0-9]+)`, "https://never.org/{id}{sub}"},
		[2]string{`(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<id>[0-9]+)`, "https://git.org{/org,repo}/{id}{?org}"},
		[2]string{`(?:see )?#(?P<id>[0-9]+)`, "https://second.org/{id}"},
		[2]string{`bad(?P<x>[0-9]+)`, "javascript:alert({x})"},
		[2]string{`rel(?P<x>[^ ]+)`, "/search?q={x}"},
		[2]string{`bare(?P<x>[0-9]+)`, "b.org/{x}"},
		[2]string{`pic(?P<x>[0-9]+)`, "https://i.org/{x}.png"},
		[2]string{`file(?P<x>[a-z]+)`, "https://chat.example/user_uploads/{+x}"},
		[2]string{`(?P<x>all .* of this)`, "https://a.org/{x}"},
	)
}

func TestLinkifiers(t *testing.T) {
	v := withLinkifiers()
	a := func(text, url string) string { return `<a href="` + url + `">` + text + `</a>` }
	one := a("#1", "https://i.org/1")
	for in, want := range map[string]string{
		"#1":                   "<p>" + one + "</p>",
		"x #1, (#2)":           "<p>x " + one + ", (" + a("#2", "https://i.org/2") + ")</p>",
		"a\n#1\n#2":            "<p>a<br>\n" + one + "<br>\n" + a("#2", "https://i.org/2") + "</p>",
		"x#1 #1x #1é":          "<p>x#1 #1x #1é</p>",
		"#1-2":                 "<p>" + one + "-2</p>",   // the first wins
		"see #1":               "<p>see " + one + "</p>", // even over a match that begins earlier
		"org/repo#5":           "<p>" + a("org/repo#5", "https://git.org/org/repo/5?org=org") + "</p>",
		"bad1 #1":              "<p>bad1 " + one + "</p>",
		"rel<b>\"&é":           "<p>" + a(`rel&lt;b&gt;"&amp;é`, "/search?q=%3Cb%3E%22%26%C3%A9") + "</p>",
		"bare7":                "<p>" + a("bare7", "http://b.org/7") + "</p>",
		"**#1** x":             "<p><strong>" + one + "</strong> x</p>",
		"**a #1 b**":           "<p><strong>a " + one + " b</strong></p>",
		"*#1* ***#1*** ~~#1~~": "<p><em>" + one + "</em> <strong><em>" + one + "</em></strong> <del>" + one + "</del></p>",
		"**a *#1* ~~#1~~**":    "<p><strong>a <em>" + one + "</em> <del>" + one + "</del></strong></p>",
		"# #1 #":               "<h1>" + one + "</h1>",
		"> #1":                 "<blockquote>\n<p>" + one + "</p>\n</blockquote>",
		"* #1":                 "<ul>\n<li>" + one + "</li>\n</ul>",
		"|#1|\n|-|\n|x #1|": "<table>\n<thead>\n<tr>\n<th>" + one + "</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>x " +
			one + "</td>\n</tr>\n</tbody>\n</table>",
		"`#1` [#1](https://x.y)": "<p><code>#1</code> " + a("#1", "https://x.y") + "</p>",
		"`a` #1":                 "<p><code>a</code> " + one + "</p>",
		"`a`#1":                  "<p><code>a</code>#1</p>",
		"#1`a`":                  "<p>" + one + "<code>a</code></p>",
		"```\n#1\n```":           "<div class=\"codehilite\"><pre><span></span><code>#1\n</code></pre></div>",
		"https://x.org/ #1":      "<p>" + a("https://x.org/", "https://x.org/") + " " + one + "</p>",
		"https://x.org/#1":       "<p>" + a("https://x.org/#1", "https://x.org/#1") + "</p>",
		"@**Ann Lee** #1":        `<p><span class="user-mention" data-user-id="31">@Ann Lee</span> ` + one + "</p>",
		"all `1` of this":        "<p>all <code>1</code> of this</p>", // a match is plain text
		"all *1* of this":        "<p>" + a("all *1* of this", "https://a.org/all%20%2A1%2A%20of%20this") + "</p>",
		"pic1": "<p>" + a("pic1", "https://i.org/1.png") + "</p>\n<div class=\"message_inline_image\"><a " +
			"href=\"https://i.org/1.png\" title=\"pic1\"><img src=\"https://i.org/1.png\"></a></div>",
		"```quote\n#1\n```": "<blockquote>\n<p>" + one + "</p>\n</blockquote>",
	} {
		out, err := renderer().Render(context.Background(), v,
			md.Source{Text: in, Sender: 31, RealmURL: "https://chat.example"})
		if err != nil || out.HTML != want {
			t.Errorf("%q: %v\n got %s\nwant %s", in, err, out.HTML, want)
		}
		if out.Link != strings.Contains(want, "<a ") {
			t.Errorf("%q: has a link: %v", in, out.Link)
		}
		for _, problem := range problems(out.HTML) {
			t.Errorf("%q: clients reject it: %s", in, problem)
		}
	}
	out, err := renderer().Render(context.Background(), v, md.Source{
		Text: "filex", RealmURL: "https://chat.example",
		Uploads: func(context.Context, []string) (map[string]md.Upload, error) {
			return map[string]md.Upload{"x": {}}, nil
		},
	})
	if err != nil || !slices.Equal(out.Attachments, []string{"x"}) {
		t.Errorf("an upload: %+v", out)
	}
	plain, err := renderer().Render(context.Background(), nil, md.Source{Text: "#1"})
	if err != nil || plain.HTML != "<p>#1</p>" {
		t.Errorf("without a view: %s, %v", plain.HTML, err)
	}
}

func TestLinkifiedTopics(t *testing.T) {
	v := withLinkifiers()
	for in, want := range map[string][]md.TopicLink{
		"":   {},
		"#1": {{Text: "#1", URL: "https://i.org/1"}},
		"x.org #1 y.org/#2": {{Text: "x.org", URL: "https://x.org"}, {Text: "#1", URL: "https://i.org/1"},
			{Text: "y.org/#2", URL: "https://y.org/#2"}},
		"org/repo#5 and #6": {{Text: "org/repo#5", URL: "https://git.org/org/repo/5?org=org"},
			{Text: "#6", URL: "https://i.org/6"}},
		"see #1":             {{Text: "#1", URL: "https://i.org/1"}},
		"bad1 bare7":         {{Text: "bare7", URL: "http://b.org/7"}},
		"relx.org/<b>":       {{Text: "relx.org/<b>", URL: "/search?q=x.org%2F%3Cb%3E"}},
		"x#1 #1x":            {},
		"a,#3 b;#4 'http://": {{Text: "#3", URL: "https://i.org/3"}},
		"all x.org of this":  {{Text: "all x.org of this", URL: "https://a.org/all%20x.org%20of%20this"}},
		"#1 #1":              {{Text: "#1", URL: "https://i.org/1"}, {Text: "#1", URL: "https://i.org/1"}},
	} {
		if got := renderer().TopicLinks(v, in); got == nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}

// hostile returns a view with linkifiers that administrators can create, but should not.
func hostile() *directory.View {
	return linkified(
		[2]string{`x(?P<a>(?:.{0,99}z)?)`, "{+a}"},
		[2]string{`(?P<a>[^ ]+)@@(?P<b>.*)`, "https://{a}/{+b}"},
		[2]string{`(?s)b(?P<a>.*)e`, "javascript{+a}"},
		[2]string{`(?P<a>\d+)`, "//{a}{#a}"},
		[2]string{`(?P<a>)`, "{a}"},
		[2]string{`(?P<a>[*_~<&\x60]+)`, "data:text/html,{+a}"},
		[2]string{`(?P<a>:)`, "/\"><b>'{+a}"},
		[2]string{`a+(?P<a>a*)`, "https://x.org/" + strings.Repeat("{a}", 600)},
		[2]string{`(?i)(?P<a>(?:a|b|[a-z]){1,200})`, "mailto:{a}@x.org"},
	)
}

// With any linkifiers, memory grows linearly with the text, and clients accept the output.
func TestHostileLinkifiers(t *testing.T) {
	testrun.Unraced(t, "sync.Pool drops objects at random, so that allocations cannot be compared")
	v := hostile()
	cost := func(s string) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := renderer().Render(context.Background(), v, md.Source{Text: s, Sender: 31})
		runtime.ReadMemStats(&after)
		if err != nil && !strings.Contains(err.Error(), "Unable to render message") {
			t.Fatal(err)
		}
		if found := problems(out.HTML); len(found) > 0 {
			t.Errorf("clients reject it: %s", found[0])
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, s := range []string{"x ", "a ", "b e", "1 ", "`", "a", "ab ", "`a` ", "**a ", "<1", "x@@ ", "(((", ": "} {
		fill := func(n int) string { return strings.Repeat(s, n/len(s)) }
		cost(fill(1000))
		if ratio := cost(fill(10_000)) / cost(fill(2500)); ratio > 8 {
			t.Errorf("%q: four times the text takes %.1f times the memory", s, ratio)
		}
	}
}

func BenchmarkLinkifiers(b *testing.B) {
	var many [][2]string
	for i := range 50 {
		many = append(many, [2]string{fmt.Sprintf(`P%d-(?P<id>[0-9]+)`, i), "https://x.org/{id}"})
	}
	for name, v := range map[string]*directory.View{"none": view(), "fifty": linkified(many...), "hostile": hostile()} {
		for _, s := range []string{"Hello, shall we meet at ten? P4-12 has the figures.", strings.Repeat("x P7-123 ", 1100)} {
			b.Run(fmt.Sprintf("%s/%d", name, len(s)), func(b *testing.B) {
				for b.Loop() {
					_, _ = renderer().Render(context.Background(), v, md.Source{Text: s, Sender: 31})
				}
			})
		}
	}
}
