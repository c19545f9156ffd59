package mailnotify_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"mime"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/katex"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/adapters/outbound/page/webpagetest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/emoji"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/linkifiers"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/previews"
	"github.com/stoachat/stoa/modules/uploads"
	"github.com/stoachat/stoa/modules/widgets"
	"github.com/stoachat/stoa/ports"
)

// startWithContents starts a server on which messages can contain everything. Bob reads German in Tokyo.
func startWithContents(t *testing.T) *testServer {
	t.Helper()
	f := &mailtest.Fake{}
	web := kit.Adapter("pages", "fake", "Knows a page.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.Pages, error) {
			return webpagetest.NewFake(map[string]markdown.Embed{
				"https://embed.example/": {Title: "Embedded title", Description: "Text", Image: "https://embed.example/i.png"},
			}), nil
		})
	w := &testServer{kittest.StartWith(t, kittest.Options{Config: "http: {url: https://chat.example.com}"},
		append(modules(f.Module()), mailnotify.Module, uploads.Module, disk.Module, images.Module, emoji.Module,
			imagestore.Module, katex.Module, widgets.Module, linkifiers.Module, web, previews.Module)...), f}
	w.As("bob").Do("PATCH /settings", "default_language", "de", "timezone", "Asia/Tokyo").OK()
	w.As("olga").Do("PATCH /realm", "inline_url_embed_preview", "true").OK()
	return w
}

func (w *testServer) upload(name string, content []byte) string {
	w.T.Helper()
	return w.As("alice").UploadAs("POST /user_uploads", name, mime.TypeByExtension(filepath.Ext(name)), content).OK().
		String("url")
}

// mailed returns the mail about a message from Alice to Bob.
func (w *testServer) mailed(content string) mail.Message {
	w.T.Helper()
	w.direct("alice", "bob", content)
	w.RunJob("previews.read")
	w.decide()
	w.Clock.Advance(3 * time.Minute)
	got := w.sent()
	if len(got) != 1 {
		w.T.Fatalf("%q: %d mails", content, len(got))
	}
	return got[0]
}

var (
	styles = regexp.MustCompile(` style="[^"]*"`)
	inText = regexp.MustCompile(`(?s)^.*? JST:\n\n(.*)\n\nUnterhaltung öffnen: .*$`)
	inHTML = regexp.MustCompile(`(?s)^.*?<div dir="auto">(.*)</div>\n<p><a href="[^"]*">Unterhaltung öffnen</a>.*$`)
)

// both returns the parts of a mail that show the message: the text without indentation, the HTML without styles.
func both(m mail.Message) (text, html string) {
	text = strings.ReplaceAll(inText.ReplaceAllString(m.Text, "$1"), "\n    ", "\n")
	return strings.TrimPrefix(text, "    "), inHTML.ReplaceAllString(styles.ReplaceAllString(m.HTML, ""), "$1")
}

// TestConstructs checks what the reader of a mail sees of everything that messages can contain.
func TestConstructs(t *testing.T) {
	w := startWithContents(t)
	const site, hidden = "https://chat.example.com", "(Öffne die Unterhaltung, um den verborgenen Text zu sehen.)"
	picture := new(bytes.Buffer)
	if err := png.Encode(picture, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	photo, notes, sound := w.upload("photo.png", picture.Bytes()), w.upload("notes.txt", []byte("x")),
		w.upload("sound.mp3", []byte("x"))
	w.As("alice").Upload("POST /realm/emoji/partyparrot", "partyparrot.png", picture.Bytes()).OK()
	w.As("olga").Do("POST /realm/filters", "pattern", `#(?P<id>\d+)`, "url_template", "https://bugs.example/{id}").OK()
	w.As("olga").Do("POST /user_groups/create", "name", "support", "description", "", "members", "[]").OK()
	bob, general := w.UserID("bob"), w.ChannelID("general")
	first := w.post("alice", "lunch", "soup")
	link := func(address, text string) string { return `<a href="` + address + `">` + text + `</a>` }
	narrow := fmt.Sprintf("%s/#narrow/channel/%d-general", site, general)
	at := fmt.Sprintf("%s/topic/lunch/with/%d", narrow, first)
	for _, c := range []struct{ name, content, text, html string }{
		{"paragraphs", "a\nb\n\nc", "a\nb\n\nc", "<p>a<br/>\nb</p>\n<p>c</p>"},
		{"HTML", "<b>x</b> & &lt;", "<b>x</b> & <", "<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;</p>"},
		{"control characters", "a\x01b\x1b[0m", "ab[0m", "<p>ab[0m</p>"},
		{"heading", "# T\nx", "T\n\nx", "<h3>T</h3>\n<p>x</p>"},
		{"rule", "a\n\n---\n\nb", "a\n\n---\n\nb", "<p>a</p>\n<hr/>\n<p>b</p>"},
		{"emphasis", "*a* **b** ***c***", "a b c", "<p><em>a</em> <strong>b</strong> <strong><em>c</em></strong></p>"},
		{"deleted", "~~no~~ yes", "~~no~~ yes", "<p><del>no</del> yes</p>"},
		{"quote", "> a\n> b\n\nc", "> a\n> b\n\nc", "<blockquote>\n<p>a<br/>\nb</p>\n</blockquote>\n<p>c</p>"},
		{"paragraphs in a quote", "```quote\na\n\nb\n```", "> a\n>\n> b", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>"},
		{"list", "* a\n  * b\n* c", "• a\n  • b\n• c", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>"},
		{"numbers", "3. a\n4. b", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"code span", "`a  <b>`", "a  <b>", "<p><code>a  &lt;b&gt;</code></p>"},
		{"code", "```py\nif x:\n    y\n\nz\n```", "if x:\n    y\n\nz", "<pre>if x:\n    y\n\nz</pre>"},
		{"declared language", "```\n:::python\nx = 1\n```", "x = 1", "<pre>x = 1</pre>"},
		{"spoiler", "```spoiler The *end*\nswordfish https://x.org/swordfish.png\n```\nx", "The end\n" + hidden + "\n\nx",
			"<div><div>\n<p>The <em>end</em></p>\n</div><p>" + hidden + "</p></div>\n<p>x</p>"},
		{"spoiler with code in its header", "~~~spoiler A `b`\nswordfish\n~~~", "A b\n" + hidden,
			"<div><div>\n<p>A <code>b</code></p>\n</div><p>" + hidden + "</p></div>"},
		{"spoiler without a header in a quote", "```quote\n~~~spoiler\nswordfish\n~~~\n```", "> " + hidden,
			"<blockquote>\n<div><div>\n</div><p>" + hidden + "</p></div>\n</blockquote>"},
		{"table", "|a|b|\n|-|:-:|\n|`c`|*d*|", "a | b\nc | d",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n" +
				"<td><code>c</code></td>\n<td><em>d</em></td>\n</tr>\n</tbody>\n</table>"},
		{"link", "[wiki](https://wiki.example/p/9)", "wiki (https://wiki.example/p/9)",
			"<p>" + link("https://wiki.example/p/9", "wiki") + "</p>"},
		{"link with a blank text", "[ ](https://wiki.example/p/9)", "https://wiki.example/p/9",
			"<p>" + link("https://wiki.example/p/9", "https://wiki.example/p/9") + "</p>"},
		{"link that shows another", "[https://good.example](https://evil.example)",
			"https://good.example (https://evil.example)",
			"<p>" + link("https://evil.example", "https://good.example") + "</p>"},
		{"addresses", "https://x.org/a, x.org b@x.org", "https://x.org/a, x.org b@x.org", "<p>" +
			link("https://x.org/a", "https://x.org/a") + ", " + link("http://x.org", "x.org") + " " +
			link("mailto:b@x.org", "b@x.org") + "</p>"},
		{"forbidden scheme", "[x](javascript:alert(1))", "[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"},
		{"without a scheme", "[x](//x.org/a)", "x (https://x.org/a)", "<p>" + link("https://x.org/a", "x") + "</p>"},
		{"fragment", "[x](#settings)", "x (" + site + "/#settings)", "<p>" + link(site+"/#settings", "x") + "</p>"},
		{"linkifier", "see #12", "see #12 (https://bugs.example/12)", "<p>see " + link("https://bugs.example/12", "#12") +
			"</p>"},
		{"formula", "so $$a<b$$", "so a<b", "<p>so <code>a&lt;b</code></p>"},
		{"wrong formula", "so $$\\x{$$", "so $$\\x{$$", "<p>so <code>$$\\x{$$</code></p>"},
		{"formulas", "```math\na^2\n\nb\n```", "a^2\nb", "<p><code>a^2</code>\n\n<br/><code>b</code></p>"},
		{"mentions", fmt.Sprintf("@**Bob|%d** @_**Bob** @**all** @**topic** @*support*", bob),
			"@Bob Bob @all @topic @support", "<p><span>@Bob</span> <span>Bob</span> <span>@all</span> " +
				"<span>@topic</span> <span>@support</span></p>"},
		{"channel", "#**general**", "#general (" + narrow + ")", "<p>" + link(narrow, "#general") + "</p>"},
		{"topic", "#**general>lunch**", "#general > lunch (" + at + ")", "<p>" + link(at, "#general &gt; lunch") + "</p>"},
		{"message link", fmt.Sprintf("#**general>lunch@%d**", first),
			fmt.Sprintf("#general > lunch @ 💬 (%s/topic/lunch/near/%d)", narrow, first),
			"<p>" + link(fmt.Sprintf("%s/topic/lunch/near/%d", narrow, first), "#general &gt; lunch @ 💬") + "</p>"},
		{"emoji", ":smile: 👍 :+1:", "🙂 👍 👍", "<p>🙂 👍 👍</p>"},
		{"custom emoji", ":partyparrot:", ":partyparrot:",
			`<p><img alt=":partyparrot:" src="` + site + `*" height="20"/></p>`},
		{"extra emoji", ":zulip:", ":zulip:", `<p><img alt=":zulip:" src="` + site + `*" height="20"/></p>`},
		{"time", "at <time:2026-06-01T17:30:00+02:00>", "at 2. Juni 2026, 00:30 JST", "<p>at 2. Juni 2026, 00:30 JST</p>"},
		{"wrong time", "at <time:never>", "at <time:never>", "<p>at &lt;time:never&gt;</p>"},
		{"upload", "[notes](" + notes + ")", "notes (" + site + notes + ")", "<p>" + link(site+notes, "notes") + "</p>"},
		{"picture", "[photo](" + photo + ") x", "photo (" + site + photo + ") x",
			"<p>" + link(site+photo, "photo") + " x</p>"},
		{"picture alone", "[](" + photo + ")", "photo.png (" + site + photo + ")",
			"<p>" + link(site+photo, "photo.png") + "</p>"},
		{"picture in the text", "![A cat](" + photo + ")", "A cat (" + site + photo + ")", "<p>" + link(site+photo, "A cat") +
			"</p>"},
		{"picture without a description", "![](" + photo + ")", "photo.png (" + site + photo + ")",
			"<p>" + link(site+photo, "photo.png") + "</p>"},
		{"picture with a blank description", "![&nbsp;](" + photo + ")", "photo.png (" + site + photo + ")",
			"<p>" + link(site+photo, "photo.png") + "</p>"},
		{"recording", "![Song](" + sound + ")", "Song (" + site + sound + ")", "<p>" + link(site+sound, "Song") + "</p>"},
		{"picture of another site", "https://x.org/a.png", "https://x.org/a.png", "<p>" +
			link("https://x.org/a.png", "https://x.org/a.png") + "</p>"},
		{"pictures in a list", "* https://x.org/a.png\n* [b](https://x.org/b.png)",
			"• https://x.org/a.png\n• b (https://x.org/b.png)", "<ul>\n<li>\n" +
				link("https://x.org/a.png", "https://x.org/a.png") + "\n</li>\n<li>" + link("https://x.org/b.png", "b") +
				"\n</li>\n</ul>"},
		{"video", "https://x.org/a.mp4", "https://x.org/a.mp4", "<p>" + link("https://x.org/a.mp4", "https://x.org/a.mp4") +
			"</p>"},
		{"YouTube", "https://youtu.be/a1", "https://youtu.be/a1", "<p>" + link("https://youtu.be/a1", "https://youtu.be/a1") +
			"</p>"},
		{"website", "https://embed.example/", "https://embed.example/", "<p>" +
			link("https://embed.example/", "https://embed.example/") + "</p>"},
		{"me", "/me *waves*", "Alice waves", "<p>Alice <em>waves</em></p>"},
		{"poll", "/poll Lunch <now>?\nSoup & bread\n\n* Salad", "Umfrage: Lunch <now>?\n\n• Soup & bread\n• Salad",
			"<p>Umfrage: Lunch &lt;now&gt;?</p>\n<ul>\n<li>Soup &amp; bread</li>\n<li>Salad</li>\n</ul>"},
		{"to-do list", "/todo\nSweep: the stairs", "Aufgabenliste\n\n• Sweep: the stairs",
			"<p>Aufgabenliste</p>\n<ul>\n<li>Sweep: the stairs</li>\n</ul>"},
		{"quoted message", "@_**Bob** [said](" + site + "/#narrow/dm/1):\n```quote\na\n```\nb",
			"Bob said (" + site + "/#narrow/dm/1):\n\n> a\n\nb", "<p><span>Bob</span> " + link(site+"/#narrow/dm/1", "said") +
				":</p>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>"},
		{"long", strings.Repeat("é", 2001), strings.Repeat("é", 2000) + "…", "<p>" + strings.Repeat("é", 2000) + "…</p>"},
	} {
		m := w.mailed(c.content)
		text, html := both(m)
		html = regexp.MustCompile(`/(user_avatars|static)/[^"]*`).ReplaceAllString(html, "*")
		if text != c.text || html != c.html {
			t.Errorf("%s: %q is shown as\n%s\n%s\nwant\n%s\n%s", c.name, c.content, text, html, c.text, c.html)
		}
		if strings.Contains(m.Text+m.HTML, "swordfish") {
			t.Errorf("%s: a spoiler is shown:\n%s\n%s", c.name, m.Text, m.HTML)
		}
	}
}

// TestLargeMails checks that mails stay below the limits of their size, whatever is in the messages, and are complete
// documents.
func TestLargeMails(t *testing.T) {
	w := startWithContents(t)
	w.As("alice").Do("PATCH /settings", "full_name", strings.Repeat("𝄞", 100)).OK()
	for name, content := range map[string]string{
		"characters": strings.Repeat("𝄞", 10_000), "escapes": strings.Repeat(`"<'>`, 2_500),
		"lines": strings.Repeat("𝄞\n", 5_000), "paragraphs": strings.Repeat("𝄞\n\n", 3_000),
		"empty lines of code": "```\n" + strings.Repeat("𝄞\n\n\n\n", 1_800) + "x\n```",
		"cells": "|" + strings.Repeat("a|", 90) + "\n|" + strings.Repeat("-|", 90) + "\n" +
			strings.Repeat("|\n", 4_000),
		"quotes":    strings.Repeat(strings.Repeat(">", 99)+" a\n\n", 90),
		"addresses": strings.Repeat("[a](https://x.org/"+strings.Repeat("é", 400)+")\n", 23),
		"emoji":     strings.Repeat(":zulip: ", 1_200), "links": strings.Repeat("[a](/b)", 1_400),
	} {
		for range 20 {
			w.direct("alice", "bob", content)
		}
		w.decide()
		w.Clock.Advance(3 * time.Minute)
		got := w.sent()
		if len(got) != 1 {
			t.Fatalf("%s: %d mails", name, len(got))
		}
		m := got[0]
		m.ID = "1"
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v: %d bytes of text, %d of HTML", name, err, len(m.Text), len(m.HTML))
		}
		if n := strings.Count(m.Text, "…"); n != 20 || !strings.HasSuffix(m.HTML, "</html>") ||
			strings.Count(m.HTML, `<div dir="auto">`) != 20 {
			t.Errorf("%s: %d messages are truncated, the HTML ends in %.40q", name, n, m.HTML[len(m.HTML)-40:])
		}
	}
}
