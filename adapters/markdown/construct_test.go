package markdown_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/markdown"
	md "github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/kit"
)

// made renders a text with the constructs of a module, and returns what was logged.
func made(t *testing.T, text string, source md.Source, all ...kit.Construct) (out md.Output, log string) {
	t.Helper()
	var lines bytes.Buffer
	modules := &kit.Collected{Modules: []kit.Contribution{{Module: "cards", Parts: kit.Parts{Markdown: all}}}}
	source.Text = text
	out, err := markdown.New(markdown.Config{}, emoji.New(), nil, modules,
		slog.New(slog.NewTextHandler(&lines, nil))).Render(t.Context(), view(), source)
	if err != nil {
		t.Fatal(err)
	}
	return out, lines.String()
}

func echo(_ context.Context, w kit.Written) (string, error) { return w.Text, nil }

// TestConstructs checks where the constructs of modules are recognized, and that code and descriptions contain none.
func TestConstructs(t *testing.T) {
	shout := func(_ context.Context, w kit.Written) (string, error) {
		return `<b class="cards-loud">` + strings.ToUpper(w.Text+w.Header) + "</b>", nil
	}
	all := []kit.Construct{kit.MarkdownInline("{{", "}}", "", shout), kit.MarkdownBlock("cards", "", shout)}
	const loud = `<b class="cards-loud">`
	for text, want := range map[string]string{
		"a {{b *c*}} d":                   "<p>a " + loud + "B *C*</b> d</p>",
		"**{{b}}** {{c}}":                 "<p><strong>" + loud + "B</b></strong> " + loud + "C</b></p>",
		"`{{b}}` {{}} {{c":                "<p><code>{{b}}</code> {{}} {{c</p>",
		"{{b\n}} {c}":                     "<p>{{b<br>\n}} {c}</p>",
		"> {{b}}":                         "<blockquote>\n<p>" + loud + "B</b></p>\n</blockquote>",
		"```cards x y\na\nb\n```\nc":      `<div class="cards">` + loud + "A\nBX Y</b></div>\n<p>c</p>",
		"```quote\n```cards\na\n```\n```": "<blockquote>\n" + `<div class="cards">` + loud + "A</b></div>\n</blockquote>",
		"{{a `b` c}}":                     "<p>" + loud + "A `B` C</b></p>",
	} {
		if out, log := made(t, text, md.Source{}, all...); out.HTML != want || log != "" {
			t.Errorf("%q: %s\nwant %s\n%s", text, out.HTML, want, log)
		}
	}
	out, _ := made(t, "{{b}}\n```cards\na\n```", md.Source{Description: true}, all...)
	if strings.Contains(out.HTML, "cards-loud") {
		t.Errorf("in a description: %s", out.HTML)
	}
}

// TestConstructSanitized checks what remains of a module's HTML.
func TestConstructSanitized(t *testing.T) {
	for source, want := range map[string]string{
		`<script>alert(1)</script>x`:                                "x",
		`<img src=x onerror=alert(1)>x`:                             "x",
		`<a href="javascript:alert(1)" onclick="x">x</a>`:           "<a>x</a>",
		`<a href=" javascript:alert(1)">x</a>`:                      "<a>x</a>",
		`<a href="java&#9;script:alert(1)">x</a>`:                   "<a>x</a>",
		`<a href="//evil.example">x</a>`:                            "<a>x</a>",
		`<a href="/\\evil.example">x</a>`:                           "<a>x</a>",
		`<a href="data:text/html,x">x</a>`:                          "<a>x</a>",
		`<a href="https://x.org/?a=1&b=2" title="&quot;">x`:         `<a href="https://x.org/?a=1&amp;b=2" title="&quot;">x</a>`,
		`<a href="/cards/1">x</a>`:                                  `<a href="/cards/1">x</a>`,
		`<span class="cards-a user-mention cards" id="i">x`:         `<span class="cards-a">x</span>`,
		`<span style="position:fixed">x</span></span></p>y`:         "<span>x</span><p></p>y",
		`<svg><a xlink:href="javascript:alert(1)">x</a></svg>`:      "",
		`<form action="/x"><input name=a><button>b</button></form>`: "b",
		`<ul><li>a<li>b`:                                            "<ul><li>a</li><li>b</li></ul>",
		`<details open>a`:                                           "a",
		"&lt;script&gt; a & b":                                      "&lt;script&gt; a &amp; b",
		`<!-- x -->a<?x?>`:                                          "a",
	} {
		out, _ := made(t, "```cards\nx\n```", md.Source{}, kit.MarkdownBlock("cards", "",
			func(context.Context, kit.Written) (string, error) { return source, nil }))
		if want = `<div class="cards">` + want + "</div>"; out.HTML != want {
			t.Errorf("%s becomes %s; want %s", source, out.HTML, want)
		}
		if out.Link != strings.Contains(want, "href") {
			t.Errorf("%s: a link: %v", source, out.Link)
		}
	}
	out, _ := made(t, "{{<div>a</div><p>b}}", md.Source{}, kit.MarkdownInline("{{", "}}", "", echo))
	if out.HTML != "<p>ab</p>" {
		t.Errorf("blocks in a line: %s", out.HTML)
	}
}

// TestConstructFails checks that what a module cannot render, or not in time, is shown as it was written, and that the
// log names the module once per text.
func TestConstructFails(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for name, render := range map[string]func(context.Context, kit.Written) (string, error){
		"error":  func(context.Context, kit.Written) (string, error) { return "", errors.New("no cards") },
		"panic":  func(context.Context, kit.Written) (string, error) { panic("no cards") },
		"late":   func(context.Context, kit.Written) (string, error) { <-release; return "late", nil },
		"large":  func(context.Context, kit.Written) (string, error) { return strings.Repeat("x", 1<<20), nil },
		"deeper": func(ctx context.Context, _ kit.Written) (string, error) { <-ctx.Done(); return "", ctx.Err() },
	} {
		out, log := made(t, strings.Repeat("{{<b>}} ", 150)+"\n\n```cards\na\n```", md.Source{},
			kit.MarkdownInline("{{", "}}", "", render), kit.MarkdownBlock("cards", "", render))
		if strings.Count(out.HTML, "{{&lt;b&gt;}}") != 150 || !strings.Contains(out.HTML, `class="codehilite"`) {
			t.Errorf("%s: %.300s", name, out.HTML)
		}
		if strings.Count(log, "module=cards") != 1 {
			t.Errorf("%s: the log is %s", name, log)
		}
	}
}
