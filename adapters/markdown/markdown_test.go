package markdown_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	md "github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/user"
)

func view() *directory.View {
	b := &directory.Builder{}
	b.User(&user.User{ID: 31, FullName: "Ann Lee", DeliveryEmail: "ann@example.com", Role: user.Member, Active: true})
	b.User(&user.User{ID: 32, FullName: "Bob", DeliveryEmail: "bob@example.com", Role: user.Member})
	b.User(&user.User{ID: 33, FullName: "<Eve>", DeliveryEmail: "eve@example.com", Role: user.Guest, Active: true})
	b.Group(&group.Group{ID: 117, Name: "hamlets", Members: idset.Of[user.ID](31)})
	b.Channel(&channel.Channel{ID: 9, Name: "announce", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 10, Name: "den", Private: true, HistoryPublic: true})
	return b.View(1)
}

func render(t *testing.T, s md.Source) md.Output {
	t.Helper()
	out, err := markdown.New().Render(context.Background(), view(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"paragraphs", "a\nb\n\nc", "<p>a<br>\nb</p>\n<p>c</p>"},
		{"emphasis", "**a** *b* ~~c~~ _d_ __e__", "<p><strong>a</strong> <em>b</em> <del>c</del> _d_ __e__</p>"},
		{"list", "* a\n* b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"numbers", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"quote", "> q", "<blockquote>\n<p>q</p>\n</blockquote>"},
		{"heading", "# T", "<h1>T</h1>"},
		{"no setext heading", "T\n===", "<p>T<br>\n===</p>"},
		{"code span", "`a<b`", "<p><code>a&lt;b</code></p>"},
		{"code block", "```py\nx = '<'\n```", "<div class=\"codehilite\" data-code-language=\"py\"><pre><span></span><code>x = '&lt;'\n</code></pre></div>"},
		{"no raw html", "<b>x</b><script>alert(1)</script>", "<p>&lt;b&gt;x&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		{"html block is text", "<div onclick=x>\n\nhi", "<p>&lt;div onclick=x&gt;</p>\n<p>hi</p>"},
		{"bare url", "see https://x.org/a?b=1&c ok", `<p>see <a href="https://x.org/a?b=1&amp;c">https://x.org/a?b=1&amp;c</a> ok</p>`},
		{"link", "[t](https://x.org)", `<p><a href="https://x.org">t</a></p>`},
		{"link without text", "[](https://x.org)", `<p><a href="https://x.org">https://x.org</a></p>`},
		{"link without scheme", "[t](x.org/a)", `<p><a href="http://x.org/a">t</a></p>`},
		{"script link", "[t](javascript:alert(1))", `<p>t</p>`},
		{"script link in disguise", "[t](java\tscript:alert(1)) [u](JaVaScRiPt:x) [v](data:text/html,x)", "<p>[t](java\tscript:alert(1)) u v</p>"},
		{"picture is a link", "![alt](https://x.org/a.png)", `<p><a href="https://x.org/a.png">alt</a></p>`},
		{"attribute break-out", `[t](https://x.org/"onmouseover="x)`, `<p><a href="https://x.org/&quot;onmouseover=&quot;x">t</a></p>`},
		{"mention", "hi @**Ann Lee**!", `<p>hi <span class="user-mention" data-user-id="31">@Ann Lee</span>!</p>`},
		{"mention by id", "@**Ann Lee|31** @**|31**", `<p><span class="user-mention" data-user-id="31">@Ann Lee</span> <span class="user-mention" data-user-id="31">@Ann Lee</span></p>`},
		{"wrong name for the id", "@**Bob|31**", `<p>@<strong>Bob|31</strong></p>`},
		{"unknown person", "@**Nobody**", `<p>@<strong>Nobody</strong></p>`},
		{"silent", "@_**Ann Lee**", `<p><span class="user-mention silent" data-user-id="31">Ann Lee</span></p>`},
		{"deactivated is silent", "@**Bob**", `<p><span class="user-mention silent" data-user-id="32">Bob</span></p>`},
		{"a name is text", "@**<Eve>**", `<p><span class="user-mention" data-user-id="33">@&lt;Eve&gt;</span></p>`},
		{"wildcard", "@**all**", `<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span></p>`},
		{"topic", "@**topic**", `<p><span class="topic-mention">@topic</span></p>`},
		{"group", "@*hamlets*", `<p><span class="user-group-mention" data-user-group-id="117">@hamlets</span></p>`},
		{"system group, silently", "@_*role:administrators*", `<p><span class="user-group-mention silent" data-user-group-id="3">Administrators</span></p>`},
		{"no mention within a word", "a@**Ann Lee**", `<p>a@<strong>Ann Lee</strong></p>`},
		{"no mention in code", "`@**Ann Lee**`", `<p><code>@**Ann Lee**</code></p>`},
		{"channel", "#**announce**", `<p><a class="stream" data-stream-id="9" href="/#narrow/channel/9-announce">#announce</a></p>`},
		{"topic link", "#**announce>a b**", `<p><a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-announce/topic/a.20b">#announce &gt; a b</a></p>`},
		{"a channel that can't be read", "#**den**", `<p>#<strong>den</strong></p>`},
		{"emoji", ":smile: :+1: :nope:", `<p><span aria-label="smile" class="emoji emoji-1f604" role="img" title="smile">:smile:</span> <span aria-label="+1" class="emoji emoji-1f44d" role="img" title="+1">:+1:</span> :nope:</p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := render(t, md.Source{Text: c.in, Sender: 31}).HTML; got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

func TestWhatItMeans(t *testing.T) {
	out := render(t, md.Source{Sender: 31, Text: "@**Ann Lee** @**Ann Lee** @*hamlets* @**all** https://x.org"})
	if !slices.Equal(out.Users, []user.ID{31}) || !slices.Equal(out.Groups, []group.ID{117}) || !out.ChannelWildcard || out.TopicWildcard || !out.Link {
		t.Errorf("got %+v", out)
	}
	quiet := render(t, md.Source{Sender: 31, Text: "> @**Ann Lee** @*hamlets* @**all** @**topic**\n\n@_**all** @**Bob**"})
	if len(quiet.Users) > 0 || len(quiet.Groups) > 0 || quiet.ChannelWildcard || quiet.TopicWildcard {
		t.Errorf("a quotation or a silent mention notifies: %+v", quiet)
	}
	if d := render(t, md.Source{Text: "#**den** #**announce**", Description: true}); strings.Contains(d.HTML, "data-stream-id=\"10\"") || !strings.Contains(d.HTML, "data-stream-id=\"9\"") {
		t.Errorf("a description links to what its readers may not know: %s", d.HTML)
	}
	if d := render(t, md.Source{Text: "@**Ann Lee**", Description: true}); len(d.Users) > 0 || strings.Contains(d.HTML, "user-mention") {
		t.Errorf("a description mentions: %+v", d)
	}
}

// After many brackets that were no links the rest are text; what comes before and is one, stays one.
func TestManyFailedLinks(t *testing.T) {
	out := render(t, md.Source{Text: "[t](https://x.org) " + strings.Repeat("[a](", 300) + "\n[u](https://y.org)"})
	if !strings.Contains(out.HTML, `<a href="https://x.org">t</a>`) || strings.Contains(out.HTML, `">u</a>`) || !strings.Contains(out.HTML, "[u](") {
		t.Errorf("got %.200s ... %s", out.HTML, out.HTML[len(out.HTML)-100:])
	}
}

func TestTooLarge(t *testing.T) {
	_, err := markdown.New().Render(context.Background(), view(), md.Source{Text: strings.Repeat(":smile: ", 20_000)})
	if !errs.Is(err, errs.BadRequest) {
		t.Errorf("got %v", err)
	}
}

// Source text never becomes markup: whatever goes in, each tag that comes out is one that the renderer writes.
func FuzzSafe(f *testing.F) {
	for _, s := range []string{"<script>", "[a](javascript:x)", "![x](y \"z\")", "@**Ann Lee**<", "|a|b|\n|-|-|\n|<i>|x|", "> - ```\n<b>", "[<b>](x)", "&lt;script&gt;"} {
		f.Add(s)
	}
	r, v := markdown.New(), view()
	f.Fuzz(func(t *testing.T, s string) {
		out, err := r.Render(context.Background(), v, md.Source{Text: s, Sender: 31})
		if err != nil {
			return
		}
		if tag := unknownTag(out.HTML); tag != "" {
			t.Errorf("%q became %q: tag %q", s, out.HTML, tag)
		}
	})
}

var known = strings.Fields("p br hr h1 h2 h3 h4 h5 h6 strong em del code pre div span a ul ol li blockquote table thead tbody tr th td")

func unknownTag(html string) string {
	for {
		i := strings.IndexByte(html, '<')
		if i < 0 {
			return ""
		}
		html = strings.TrimPrefix(html[i+1:], "/")
		name := html[:strings.IndexFunc(html+">", func(r rune) bool { return r == ' ' || r == '>' || r == '\n' })]
		if !slices.Contains(known, name) {
			return name
		}
		end := strings.IndexByte(html, '>')
		if strings.Contains(strings.ToLower(html[:max(end, 0)]), "javascript:") {
			return html[:end]
		}
	}
}

func BenchmarkRender(b *testing.B) {
	r, v := markdown.New(), view()
	for name, s := range map[string]string{
		"plain": "Hello, shall we meet at ten? I have the figures with me.", "rich": "**Hi** @**Ann Lee**, see [this](https://x.org) :smile:\n\n* a\n* b\n\n```go\nx := 1\n```",
		"quotes": strings.Repeat(">", 10_000), "brackets": strings.Repeat("[", 10_000), "stars": strings.Repeat("*a ", 3_300), "ticks": strings.Repeat("`a``", 2_500),
		"links": strings.Repeat("[a](b", 2_000), "lists": strings.Repeat("- ", 5_000), "strikes": strings.Repeat("~~a ", 2_500), "tables": strings.Repeat("|", 10_000) + "\n" + strings.Repeat("|-", 5_000),
		"targets": strings.Repeat("[a](", 40_000), "targets, nested": strings.Repeat("[a](((()", 20_000), "colons": strings.Repeat(":a", 5_000), "ats": strings.Repeat("@**", 3_300), "urls": strings.Repeat("https://", 1_250),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = r.Render(context.Background(), v, md.Source{Text: s, Sender: 31})
			}
		})
	}
}
