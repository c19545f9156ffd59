package markdown_test

import (
	"testing"
	"time"

	md "github.com/stoachat/stoa/domain/markdown"
)

func TestEmphasis(t *testing.T) {
	check(t, byAnn, []row{
		{"strong", "**x**", "<p><strong>x</strong></p>"},
		{"shortest", "**a**b**", "<p><strong>a</strong>b**</p>"},
		{"no newline in strong", "**a\nb**", "<p>**a<br>\nb**</p>"},
		{"emphasis", "*x*", "<p><em>x</em></p>"},
		{"blanks inside", "* x* *x * 2 * 3 * 4", "<ul>\n<li>x* *x * 2 * 3 * 4</li>\n</ul>"},
		{"blanks on both sides", "2 * 3 * 4", "<p>2 * 3 * 4</p>"},
		{"caret", "*a^b*", "<p>*a^b*</p>"},
		{"both", "***x***", "<p><strong><em>x</em></strong></p>"},
		{"nested", "**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"},
		{"deleted", "~~x~~", "<p><del>x</del></p>"},
		{"three tildes", "a ~~~x~~~", "<p>a ~~~x~~~</p>"},
		{"underscores", "_x_ __x__", "<p>_x_ __x__</p>"},
		{"no escapes", `\*x\*`, `<p>\<em>x\</em></p>`},
		{"combined", "***a ~~b~~ :smile: [c](https://x.org)***", `<p><strong><em>a <del>b</del> <span aria-label="smile" ` +
			`class="emoji emoji-1f642" role="img" title="smile">:smile:</span> <a href="https://x.org">c</a></em></strong></p>`},
	})
}

func TestCodeSpans(t *testing.T) {
	check(t, byAnn, []row{
		{"one tick", "`a<b`", "<p><code>a&lt;b</code></p>"},
		{"two ticks", "`` a`b ``", "<p><code> a`b </code></p>"},
		{"unmatched backquotes", "``a`", "<p>``a`</p>"},
		{"backslash", "\\`a`", "<p>\\`a`</p>"},
		{"over lines", "`a\nb`", "<p><code>a\nb</code></p>"},
		{"nothing applies", "`**a** @**Ann Lee** :smile: &lt;`", "<p><code>**a** @**Ann Lee** :smile: &amp;lt;</code></p>"},
	})
}

func TestLinks(t *testing.T) {
	check(t, byAnn, []row{
		{"link", "[t](https://x.org)", `<p><a href="https://x.org">t</a></p>`},
		{"title", `[t](https://x.org "T")`, `<p><a href="https://x.org" title="T">t</a></p>`},
		{"no text", "[](https://x.org)", `<p><a href="https://x.org">https://x.org</a></p>`},
		{"text is literal", "[**a** `b` :smile: @**Ann Lee**](https://x.org)",
			"<p><a href=\"https://x.org\">**a** `b` :smile: @**Ann Lee**</a></p>"},
		{"no scheme", "[t](x.org/a)", `<p><a href="http://x.org/a">t</a></p>`},
		{"brackets", "[a [b]](https://x.org/(c))", `<p><a href="https://x.org/(c)">a [b]</a></p>`},
		{"blanks", "[t](https://x.org/a b)", `<p><a href="https://x.org/a%20b">t</a></p>`},
		{"unparsable", "[t](http://[) [u](http://a]/[b)", `<p><a href="">t</a> <a href="">u</a></p>`},
		{"still to be filled in", "[t](http://host:port/a) [u](http://{host}/a) [v](http://<host>:<port>)",
			`<p><a href="http://host:port/a">t</a> <a href="http://{host}/a">u</a> <a ` +
				`href="http://&lt;host&gt;:&lt;port&gt;">v</a></p>`},
		{"mail", "[t](a@b.org)", `<p><a href="mailto:a@b.org">t</a></p>`},
		{"path", "[t](/a) [u](#b)", `<p><a href="/a">t</a> <a href="#b">u</a></p>`},
		{"other scheme", "[t](tel:123) [u](XMPP:a@b)", `<p><a href="tel:123">t</a> <a href="XMPP:a@b">u</a></p>`},
		{"forbidden", "[t](javascript:alert) [u](data:text/html,x) [v](VBScript:x)",
			`<p>[t](javascript:alert) [u](data:text/html,x) [v](VBScript:x)</p>`},
		{"in disguise", "[t](\x01javascript:x) [u](&#106;avascript:x)",
			`<p><a href="http://%01javascript:x">t</a> <a href="http://&amp;#106;avascript:x">u</a></p>`},
		{"break-out", `[t](https://x.org/"onmouseover="x)`, `<p><a href="https://x.org/&quot;onmouseover=&quot;x">t</a></p>`},
		{"not an upload", "![alt](https://x.org/a)", `<p>!<a href="https://x.org/a">alt</a></p>`},
	})
	check(t, func(text string) md.Source {
		return md.Source{Text: text, Sender: 31, RealmURL: "https://chat.example"}
	}, []row{
		{"own realm", "https://chat.example/#narrow/x", `<p><a href="#narrow/x">https://chat.example/#narrow/x</a></p>`},
		{"own upload", "[x](https://chat.example/user_uploads/2/ab/x.txt)",
			`<p><a href="/user_uploads/2/ab/x.txt">x</a></p>`},
		{"a lookalike", "https://chat.example.org/#narrow/x",
			`<p><a href="https://chat.example.org/#narrow/x">https://chat.example.org/#narrow/x</a></p>`},
	})
}

func TestAddresses(t *testing.T) {
	check(t, byAnn, []row{
		{"url", "see https://x.org/a?b=1&c ok",
			`<p>see <a href="https://x.org/a?b=1&amp;c">https://x.org/a?b=1&amp;c</a> ok</p>`},
		{"domain", "example.com/x", `<p><a href="http://example.com/x">example.com/x</a></p>`},
		{"mail", "a@b.org", `<p><a href="mailto:a@b.org">a@b.org</a></p>`},
		{"end of the sentence", "Is it (https://x.org/a)? Or example.com.",
			`<p>Is it (<a href="https://x.org/a">https://x.org/a</a>)? Or <a href="http://example.com">example.com</a>.</p>`},
		{"brackets in the path", "https://x.org/a_(b)_(c(d)).",
			`<p><a href="https://x.org/a_(b)_(c(d))">https://x.org/a_(b)_(c(d))</a>.</p>`},
		{"seven brackets", "https://x.org/(((((((a)))))))", `<p>https://x.org/(((((((a)))))))</p>`},
		{"files", "main.py README.md a.zip x.java b.mov", "<p>main.py README.md a.zip x.java b.mov</p>"},
		{"not a public ending", "foo.barbarbar", "<p>foo.barbarbar</p>"},
		{"within a word", "xhttps://x.org ahttps://x", "<p>xhttps://x.org ahttps://x</p>"},
		{"host without an ending", "http://localhost:9991/a",
			`<p><a href="http://localhost:9991/a">http://localhost:9991/a</a></p>`},
		{"no file", "file:///etc/passwd", "<p>file:///etc/passwd</p>"},
		{"bitcoin", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
			`<p><a href="bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa">bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa</a></p>`},
		{"international", "https://bücher.example/ü",
			`<p><a href="https://bücher.example/ü">https://bücher.example/ü</a></p>`},
		{"in brackets", "<https://x.org>", `<p>&lt;<a href="https://x.org">https://x.org</a>&gt;</p>`},
		{"still to be filled in", "http://host:port/a http://{host}/a, http://{host}:{port}",
			`<p><a href="http://host:port/a">http://host:port/a</a> <a href="http://{host}/a">http://{host}/a</a>, <a ` +
				`href="http://{host}:{port}">http://{host}:{port}</a></p>`},
		{"ip", "http://127.0.0.1/", `<p><a href="http://127.0.0.1/">http://127.0.0.1/</a></p>`},
	})
}

func TestEntities(t *testing.T) {
	check(t, byAnn, []row{
		{"entities", "&lt;b&gt; &#65; &#x41; & &x", "<p>&lt;b&gt; &#65; &#x41; &amp; &amp;x</p>"},
		{"in a link", "[&lt;b&gt; & x](https://x.org/?&lt;)",
			`<p><a href="https://x.org/?&amp;lt;">&lt;b&gt; &amp; x</a></p>`},
		{"quotes stay", `"a" 'b'`, `<p>"a" 'b'</p>`},
	})
}

func TestTeX(t *testing.T) {
	katex := func(tex, display string) string {
		return `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"` + display +
			`><semantics><mrow><mtext>` + tex + `</mtext></mrow><annotation encoding="application/x-tex">` + tex +
			`</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">` + tex + `</span></span>`
	}
	block := func(tex string) string {
		return `<span class="katex-display">` + katex(tex, ` display="block"`) + "</span>"
	}
	check(t, byAnn, []row{
		{"inline", "a $$x < 1$$ b", "<p>a " + katex("x &lt; 1", "") + " b</p>"},
		{"dollar inside", `$$\$1$$`, "<p>" + katex(`\$1`, "") + "</p>"},
		{"touching words", "a$$x$$ $$x$$b $$$x$$$ $$_x$$", "<p>a$$x$$ $$x$$b $$$x$$$ $$_x$$</p>"},
		{"over lines", "$$a\nb$$", "<p>$$a<br>\nb$$</p>"},
		{"block", "```math\nx\ny\n```", "<p>" + block("x\ny") + "</p>"},
		{"parts", "```math\nx\n\ny\n```", "<p>" + block("x") + "\n\n" + block("y") + "</p>"},
	})
}

func TestMentions(t *testing.T) {
	const ann = `<span class="user-mention" data-user-id="31">@Ann Lee</span>`
	check(t, byAnn, []row{
		{"name", "hi @**Ann Lee**!", "<p>hi " + ann + "!</p>"},
		{"any case", "@**ann lee**", "<p>" + ann + "</p>"},
		{"id", "@**Ann Lee|31** @**|31**", "<p>" + ann + " " + ann + "</p>"},
		{"wrong name for the id", "@**Bob|31**", `<p>@<strong>Bob|31</strong></p>`},
		{"unknown", "@**Nobody**", `<p>@<strong>Nobody</strong></p>`},
		{"silent", "@_**Ann Lee|31**", `<p><span class="user-mention silent" data-user-id="31">Ann Lee</span></p>`},
		{"name of several", "@**Kim** @**Kim|35**", `<p><span class="user-mention" data-user-id="36">@Kim</span> <span ` +
			`class="user-mention silent" data-user-id="35">Kim</span></p>`},
		{"deactivated", "@**Bob**", `<p><span class="user-mention silent" data-user-id="32">Bob</span></p>`},
		{"a name is text", "@**<Eve>**", `<p><span class="user-mention" data-user-id="33">@&lt;Eve&gt;</span></p>`},
		{"wildcards", "@**all** @**everyone** @**channel** @**stream**", `<p><span class="user-mention ` +
			`channel-wildcard-mention" data-user-id="*">@all</span> <span class="user-mention channel-wildcard-mention" ` +
			`data-user-id="*">@everyone</span> <span class="user-mention channel-wildcard-mention" ` +
			`data-user-id="*">@channel</span> <span class="user-mention channel-wildcard-mention" ` +
			`data-user-id="*">@stream</span></p>`},
		{"silent wildcard", "@_**all**", `<p><span class="user-mention channel-wildcard-mention silent" ` +
			`data-user-id="*">all</span></p>`},
		{"a user of that name", "@**All**", `<p><span class="user-mention" data-user-id="34">@all</span></p>`},
		{"topic", "@**topic** @_**topic**", `<p><span class="topic-mention">@topic</span> <span class="topic-mention ` +
			`silent">topic</span></p>`},
		{"group", "@*hamlets* @_*hamlets*", `<p><span class="user-group-mention" data-user-group-id="117">@hamlets</span> ` +
			`<span class="user-group-mention silent" data-user-group-id="117">hamlets</span></p>`},
		{"group in another case", "@*Hamlets*", `<p>@<em>Hamlets</em></p>`},
		{"deactivated group", "@*gone*", `<p><span class="user-group-mention silent" ` +
			`data-user-group-id="118">gone</span></p>`},
		{"system group", "@_*role:administrators* @*role:administrators*", `<p><span class="user-group-mention silent" ` +
			`data-user-group-id="3">Administrators</span> @<em>role:administrators</em></p>`},
		{"before it", `("@**Ann Lee**") a@**Ann Lee**`, `<p>("` + ann + `") a@<strong>Ann Lee</strong></p>`},
		{"in strong", "**@**Ann Lee** x** **a @**Ann Lee** x**",
			"<p><strong>@</strong>Ann Lee<strong> x</strong> <strong>a " + ann + " x</strong></p>"},
	})
}

func TestChannelLinks(t *testing.T) {
	check(t, byAnn, []row{
		{"channel", "#**announce**", `<p><a class="stream" data-stream-id="9" ` +
			`href="/#narrow/channel/9-announce">#announce</a></p>`},
		{"encoding", "#**a b.c/d é**", `<p><a class="stream" data-stream-id="11" ` +
			`href="/#narrow/channel/11-a-b.2Ec.2Fd-.C3.A9">#a b.c/d é</a></p>`},
		{"topic", "#**announce>a b**", `<p><a class="stream-topic" data-stream-id="9" ` +
			`href="/#narrow/channel/9-announce/topic/a.20b">#announce &gt; a b</a></p>`},
		{"message", "#**announce>a b@214**", `<p><a class="message-link" ` +
			`href="/#narrow/channel/9-announce/topic/a.20b/near/214">#announce &gt; a b @ 💬</a></p>`},
		{"empty topic", "#**announce>**", `<p><a class="stream-topic" data-stream-id="9" ` +
			`href="/#narrow/channel/9-announce/topic/">#announce &gt; <em>general chat</em></a></p>`},
		{"message of the empty topic", "#**announce>@214**", `<p><a class="message-link" ` +
			`href="/#narrow/channel/9-announce/topic//near/214">#announce &gt; <em>general chat</em> @ 💬</a></p>`},
		{"can't be read", "#**den** #**den>x**", `<p>#<strong>den</strong> #<strong>den&gt;x</strong></p>`},
		{"in another case", "#**Announce**", `<p>#<strong>Announce</strong></p>`},
		{"within a word", "a#**announce**", `<p>a#<strong>announce</strong></p>`},
	})
}

func TestTimes(t *testing.T) {
	is := func(at, in string) string { return `<p><time datetime="` + at + `">` + in + `</time></p>` }
	check(t, func(text string) md.Source {
		// In UTC, this is the 23rd.
		return md.Source{Text: text, Sender: 31, At: time.Date(2026, 11, 22, 23, 30, 0, 0, time.FixedZone("", -3600))}
	}, []row{
		{"iso", "<time:2026-01-02T03:04:05Z>", is("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z")},
		{"offset", "<time:2026-01-02T03:04:05+02:00>", is("2026-01-02T01:04:05Z", "2026-01-02T03:04:05+02:00")},
		{"no zone", "<time:2026-01-02 03:04>", is("2026-01-02T03:04:00Z", "2026-01-02 03:04")},
		{"zone", "<time:2026-01-02 03:04 CET>", is("2026-01-02T02:04:00Z", "2026-01-02 03:04 CET")},
		{"day", "<time:2026-01-02>", is("2026-01-02T00:00:00Z", "2026-01-02")},
		{"text", "<time:Jan 2, 2026 3:04pm>", is("2026-01-02T15:04:00Z", "Jan 2, 2026 3:04pm")},
		{"ordinal", "<time:Jan 2nd 2024>", is("2024-01-02T00:00:00Z", "Jan 2nd 2024")},
		{"time of day", "<time:3:04 PM>", is("2026-11-23T15:04:00Z", "3:04 PM")},
		{"time of day in a zone", "<time:12 am CET>", is("2026-11-22T23:00:00Z", "12 am CET")},
		{"day and time of day", "<time:January 2nd, 2024 at 3:04 p.m.>",
			is("2024-01-02T15:04:00Z", "January 2nd, 2024 at 3:04 p.m.")},
		{"time of day first", "<time:10am Nov 22 2025>", is("2025-11-22T10:00:00Z", "10am Nov 22 2025")},
		{"GMT and hours", "<time:2024-01-02 15:04 GMT+2>", is("2024-01-02T13:04:00Z", "2024-01-02 15:04 GMT+2")},
		{"UTC and minutes", "<time:2024-01-02 15:04 UTC-03:30>", is("2024-01-02T18:34:00Z", "2024-01-02 15:04 UTC-03:30")},
		{"JavaScript", "<time:Tue Jan 02 2024 15:04:05 GMT+0200 (Eastern European Standard Time)>",
			is("2024-01-02T13:04:05Z", "Tue Jan 02 2024 15:04:05 GMT+0200 (Eastern European Standard Time)")},
		{"JavaScript, UTC", "<time:Tue, 02 Jan 2024 15:04:05 GMT>",
			is("2024-01-02T15:04:05Z", "Tue, 02 Jan 2024 15:04:05 GMT")},
		{"JavaScript, local", "<time:1/2/2024, 3:04:05 PM>", is("2024-01-02T15:04:05Z", "1/2/2024, 3:04:05 PM")},
		{"ctime", "<time:Tue Jan  2 15:04:05 2024>", is("2024-01-02T15:04:05Z", "Tue Jan  2 15:04:05 2024")},
		{"ISO 8601 without marks", "<time:20240102T150405.25+0530>",
			is("2024-01-02T09:34:05.250000Z", "20240102T150405.25+0530")},
		{"year", "<time:2024>", is("2024-01-01T00:00:00Z", "2024")},
		{"month", "<time:Jan 2024>", is("2024-01-01T00:00:00Z", "Jan 2024")},
		{"month in figures", "<time:2024-03>", is("2024-03-01T00:00:00Z", "2024-03")},
		{"day of this year", "<time:Jan 2>", is("2026-01-02T00:00:00Z", "Jan 2")},
		{"day first", "<time:31/12/2023 23:59>", is("2023-12-31T23:59:00Z", "31/12/2023 23:59")},
		{"two figures", "<time:2/1/24>", is("2024-02-01T00:00:00Z", "2/1/24")},
		{"second", "<time:20240102150405>", is("2024-01-02T15:04:05Z", "20240102150405")},
		{"seconds", "<time:1767323045>", is("2026-01-02T03:04:05Z", "1767323045")},
		{"microseconds", "<time:1767323045.5>", is("2026-01-02T03:04:05.500000Z", "1767323045.5")},
		{"none", "<time:**x**>", "<p>&lt;time:**x**&gt;</p>"},
		{"too far", "<time:99999999999999> <time:NaN>", "<p>&lt;time:99999999999999&gt; &lt;time:NaN&gt;</p>"},
	})
	for _, in := range []string{"Feb 30 2024", "2024-13-01", "25:00", "12:60", "13:00 pm", "0 am", "Monday", "Mon 3pm",
		"May", "1 2", "2024-005", "2024-01-02 -05:00", "10:00 10:00", "2024-01-02 10:00 CET CET", "2024-01-02 (x)", "1/2/3/4",
		"Jan Feb 2024", "2024-01-", "at", "+02:00", "2024-01-02 10:00+99:00", "40/50/60"} {
		if got := render(t, md.Source{Text: "<time:" + in + ">", At: time.Unix(0, 0)}).HTML; got != "<p>&lt;time:"+in+
			"&gt;</p>" {
			t.Errorf("%q: %s", in, got)
		}
	}
	if got := render(t, md.Source{Text: "<time:3:04 PM>"}).HTML; got != "<p>&lt;time:3:04 PM&gt;</p>" {
		t.Errorf("without a date: %s", got)
	}
}

func TestEmoji(t *testing.T) {
	is := func(name, title, code string) string {
		return `<span aria-label="` + title + `" class="emoji emoji-` + code + `" role="img" title="` + title + `">:` + name +
			`:</span>`
	}
	check(t, byAnn, []row{
		{"names", ":smile: :+1: :thumbs_up: :no_such:", "<p>" + is("smile", "smile", "1f642") + " " + is("+1", "+1",
			"1f44d") + " " + is("thumbs_up", "thumbs up", "1f44d") + " :no_such:</p>"},
		{"adjacent", ":smile::tada: :x:smile:", "<p>" + is("smile", "smile", "1f642") + is("tada", "tada", "1f389") +
			" " + is("x", "x", "274e") + "smile:</p>"},
		{"own", ":green_tick:", `<p><img alt=":green_tick:" class="emoji" src="/user_avatars/2/emoji/images/1.png" ` +
			`title="green tick"></p>`},
		{"extra", ":zulip:", `<p><img alt=":zulip:" class="emoji" ` +
			`src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip"></p>`},
		{"deactivated", ":old_tick:", "<p>:old_tick:</p>"},
		{"characters", "👍 🐙", "<p>" + is("+1", "+1", "1f44d") + " " + is("octopus", "octopus", "1f419") + "</p>"},
		{"text", "→ © 1 ❤ x", "<p>→ © 1 ❤ x</p>"},
		{"emoji presentation", "❤️", "<p>" + is("heart", "heart", "2764") + "</p>"},
		{"skin", "👍🏽 x", "<p>👍🏽 x</p>"},
		{"flag", "🇺🇸", "<p>" + is("flag_united_states", "flag united states", "1f1fa-1f1f8") + "</p>"},
		{"times of day", "10:30:45", "<p>10:30:45</p>"},
		{"no emoticons", ":) <3", "<p>:) &lt;3</p>"},
	})
	check(t, func(text string) md.Source { return md.Source{Text: text, Emoticons: true} }, []row{
		{"emoticons", ":) (:, <3 :D", "<p>" + is("smile", "smile", "1f642") + " " + is("smile", "smile", "1f642") + ", " +
			is("heart", "heart", "2764") + " " + is("grinning", "grinning", "1f600") + "</p>"},
		{"within words", "a:) :)b http://x", "<p>a:) :)b <a href=\"http://x\">http://x</a></p>"},
	})
}
