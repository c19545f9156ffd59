package markdown_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	md "github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
)

func uploads(text string) md.Source {
	s := byAnn(text)
	s.Uploads = func(_ context.Context, paths []string) (map[string]md.Upload, error) {
		all := map[string]md.Upload{
			"2/ab/x.png":  {ContentType: "image/png", Width: 1920, Height: 1080, Thumbnail: true},
			"2/ab/y.gif":  {ContentType: "image/gif", Width: 10, Height: 20, Thumbnail: true, Animated: true},
			"2/ab/z.heic": {ContentType: "image/heic", Width: 10, Height: 20, Transcoded: "1920x1080.webp"},
			"2/ab/b.png":  {ContentType: "image/png"},
			"2/ab/v.mp4":  {ContentType: "video/mp4"},
			"2/ab/s.mp3":  {ContentType: "audio/mpeg"},
		}
		for path := range all {
			if !slices.Contains(paths, path) {
				delete(all, path)
			}
		}
		return all, nil
	}
	return s
}

func picture(href, title string) string {
	if title != "" {
		title = ` title="` + title + `"`
	}
	return `<div class="message_inline_image"><a href="` + href + `"` + title + `><img src="` + href + `"></a></div>`
}

func TestPreviews(t *testing.T) {
	const x, y = "https://x.org/a.png", "https://x.org/b.JPG"
	check(t, byAnn, []row{
		{"bare", x, picture(x, "")},
		{"named", "[t](" + x + ")", `<p><a href="` + x + `">t</a></p>` + "\n" + picture(x, "t")},
		{"in a sentence", "see " + x + " and " + y, `<p>see <a href="` + x + `">` + x + `</a> and <a href="` + y + `">` + y +
			"</a></p>\n" + picture(x, "") + "\n" + picture(y, "")},
		{"before text", x + "\n\nb", picture(x, "") + "\n<p>b</p>"},
		{"each once", "a " + x + " " + x, `<p>a <a href="` + x + `">` + x + `</a> <a href="` + x + `">` + x + "</a></p>\n" +
			picture(x, "")},
		{"item", "* a " + x + "\n* b", "<ul>\n<li>a <a href=\"" + x + "\">" + x + "</a>" + picture(x, "") +
			"\n</li>\n<li>b</li>\n</ul>"},
		{"bare item", "* " + x, "<ul>\n<li>\n" + picture(x, "") + "\n</li>\n</ul>"},
		{"heading", "# a " + x + "\nb", "<h1>a <a href=\"" + x + "\">" + x + "</a></h1>\n<p>b</p>\n" + picture(x, "")},
		{"quote", "> " + x, "<blockquote>\n<p><a href=\"" + x + "\">" + x + "</a></p>\n</blockquote>"},
		{"spoiler", "```spoiler\n# a " + x + "\n```\nb", "<div class=\"spoiler-block\"><div " +
			"class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n<h1>a <a href=\"" + x +
			"\">" + x + "</a></h1>\n" + picture(x, "") + "\n</div></div>\n<p>b</p>"},
		{"page of an image", "https://github.com/o/r/blob/main/a.png", `<div class="message_inline_image"><a ` +
			`href="https://github.com/o/r/blob/main/a.png"><img ` +
			`src="https://raw.githubusercontent.com/o/r/main/a.png"></a></div>`},
		{"page of Wikipedia", "https://en.wikipedia.org/wiki/File:A_%22b%22.jpg", `<div class="message_inline_image"><a ` +
			`href="https://en.wikipedia.org/wiki/File:A_%22b%22.jpg"><img ` +
			`src="https://en.wikipedia.org/wiki/Special:FilePath/File:A_%22b%22.jpg"></a></div>`},
		{"not Wikipedia", "https://notwikipedia.org/wiki/File:A.jpg",
			picture("https://notwikipedia.org/wiki/File:A.jpg", "")},
		{"video", "https://x.org/a.mp4", `<div class="message_inline_image message_inline_video"><a ` +
			`href="https://x.org/a.mp4"><video preload="metadata" src="https://x.org/a.mp4"></video></a></div>`},
		{"youtube", "https://www.youtube.com/watch?v=a_b-1",
			`<p><a href="https://www.youtube.com/watch?v=a_b-1">https://www.youtube.com/watch?v=a_b-1</a></p>` + "\n" +
				`<div class="youtube-video message_inline_image"><a data-id="a_b-1" ` +
				`href="https://www.youtube.com/watch?v=a_b-1"><img src="https://i.ytimg.com/vi/a_b-1/mqdefault.jpg"></a></div>`},
		{"not youtube", "https://notyoutube.com/watch?v=a",
			`<p><a href="https://notyoutube.com/watch?v=a">https://notyoutube.com/watch?v=a</a></p>`},
		{"unknown upload", "[x.png](/user_uploads/2/ab/x.png)",
			`<p><a href="/user_uploads/2/ab/x.png">x.png</a></p>`},
	})
	for _, form := range []string{"youtu.be/a1", "www.youtube.com/embed/a1", "youtube.com/shorts/a1", "youtube.com/v/a1",
		"www.youtube.com/watch_videos?video_ids=a1,b2"} {
		if out := render(t, byAnn("https://"+form)); !strings.Contains(out.HTML, `data-id="a1"`) || !out.Image {
			t.Errorf("%s: %s", form, out.HTML)
		}
	}
}

func TestUploads(t *testing.T) {
	const (
		known = `data-original-content-type="image/png" data-original-dimensions="1920x1080"`
		thumb = `src="/user_uploads/thumbnail/2/ab/x.png/840x560.webp"`
	)
	check(t, uploads, []row{
		{"link", "[x.png](/user_uploads/2/ab/x.png)", `<p><a href="/user_uploads/2/ab/x.png">x.png</a></p>` + "\n" +
			`<div class="message_inline_image"><a href="/user_uploads/2/ab/x.png" title="x.png"><img ` + known + ` ` + thumb +
			`></a></div>`},
		{"image", "a ![alt](/user_uploads/2/ab/x.png) b", `<p>a <img alt="alt" class="inline-image" ` + known +
			` data-original-src="/user_uploads/2/ab/x.png" ` + thumb + `> b</p>`},
		{"animated", "![](/user_uploads/2/ab/y.gif)", `<p><img alt="" class="inline-image" data-animated="true" ` +
			`data-original-content-type="image/gif" data-original-dimensions="10x20" ` +
			`data-original-src="/user_uploads/2/ab/y.gif" src="/user_uploads/thumbnail/2/ab/y.gif/840x560-anim.webp"></p>`},
		{"placeholder", "![z](/user_uploads/2/ab/z.heic)", `<p><img alt="z" class="inline-image image-loading-placeholder" ` +
			`data-original-content-type="image/heic" data-original-dimensions="10x20" ` +
			`data-original-src="/user_uploads/2/ab/z.heic" data-transcoded-image="1920x1080.webp" ` +
			`src="/static/images/loading/loader-black.svg"></p>`},
		{"placeholder of a link", "[z](/user_uploads/2/ab/z.heic)", `<p><a href="/user_uploads/2/ab/z.heic">z</a></p>` +
			"\n" + `<div class="message_inline_image"><a href="/user_uploads/2/ab/z.heic" title="z"><img ` +
			`class="image-loading-placeholder" data-original-content-type="image/heic" data-original-dimensions="10x20" ` +
			`data-transcoded-image="1920x1080.webp" src="/static/images/loading/loader-black.svg"></a></div>`},
		{"not readable", "[b](/user_uploads/2/ab/b.png) ![b](/user_uploads/2/ab/b.png)",
			`<p><a href="/user_uploads/2/ab/b.png">b</a> !<a href="/user_uploads/2/ab/b.png">b</a></p>`},
		{"unknown", "![q](/user_uploads/2/ab/q.png)", `<p>!<a href="/user_uploads/2/ab/q.png">q</a></p>`},
		{"sound", "![s.mp3](/user_uploads/2/ab/s.mp3)",
			`<p><audio controls="" preload="metadata" src="/user_uploads/2/ab/s.mp3" title="s.mp3"></audio></p>`},
		{"video", "[v](/user_uploads/2/ab/v.mp4)", `<p><a href="/user_uploads/2/ab/v.mp4">v</a></p>` + "\n" +
			`<div class="message_inline_image message_inline_video"><a href="/user_uploads/2/ab/v.mp4" title="v"><video ` +
			`preload="metadata" src="/user_uploads/2/ab/v.mp4"></video></a></div>`},
		{"in a table", "|![a](/user_uploads/2/ab/x.png)|\n|-|", "<table>\n<thead>\n<tr>\n<th><img alt=\"a\" " +
			"class=\"inline-image\" " + known + " data-original-src=\"/user_uploads/2/ab/x.png\" " + thumb +
			"></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n</tr>\n</tbody>\n</table>"},
	})
	if out := render(t, byAnn("https://x.org/a.png")); !out.Link || !out.Image {
		t.Errorf("a preview without its paragraph: %+v", out)
	}
	bare := uploads("https://chat.example/user_uploads/2/ab/x.png")
	bare.RealmURL = "https://chat.example"
	if out := render(t, bare); !slices.Equal(out.Attachments, []string{"2/ab/x.png"}) {
		t.Errorf("a preview without its paragraph: %+v", out)
	}
	out := render(t, uploads("[x](/user_uploads/2/ab/x.png) ![q](/user_uploads/2/ab/q.png) "+
		"![x](/user_uploads/2/ab/x.png) /user_uploads/2/ab/n.png"))
	if !slices.Equal(out.Attachments, []string{"2/ab/x.png"}) || !out.Image || !out.Link {
		t.Errorf("got %+v", out)
	}
}

func TestManyPreviews(t *testing.T) {
	links := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a https://x.org/%d.png\n", i)
		}
		return b.String()
	}
	if out := render(t, byAnn(links(24))); strings.Count(out.HTML, "message_inline_image") != 24 {
		t.Errorf("24 targets: %d previews", strings.Count(out.HTML, "message_inline_image"))
	}
	if out := render(t, byAnn(links(25))); strings.Contains(out.HTML, "message_inline_image") || out.Image || !out.Link {
		t.Errorf("25 targets: %.200s", out.HTML)
	}
	if out := render(t, md.Source{Text: "https://x.org/a.png", Description: true}); strings.Contains(out.HTML, "<img") {
		t.Errorf("a description has a preview: %s", out.HTML)
	}
	r := &realm.Realm{Settings: realm.Defaults()}
	r.Settings.InlineImagePreview, r.Settings.DefaultCodeBlockLanguage = false, "py"
	v := view().Apply(3, directory.OfRealm(nil, r))
	for in, want := range map[string]string{
		"https://x.org/a.png": `<p><a href="https://x.org/a.png">https://x.org/a.png</a></p>`,
		"```\nx\n```": "<div class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code><span " +
			"class=\"n\">x</span>\n</code></pre></div>",
		"```text\nx\n```": "<div class=\"codehilite\" data-code-language=\"Text " +
			"only\"><pre><span></span><code>x\n</code></pre></div>",
	} {
		if out, err := renderer().Render(context.Background(), v, byAnn(in)); err != nil || out.HTML != want {
			t.Errorf("%q: %s, %v", in, out.HTML, err)
		}
	}
}

func TestTopics(t *testing.T) {
	asked := 0
	s := byAnn("#**announce>a** #**announce>new** #**announce>a** #**announce>** #**announce>a@3** #**den>x**")
	s.Topics = func(_ context.Context, topics []md.Topic) (map[md.Topic]int64, error) {
		asked++
		if want := []md.Topic{{Channel: 9, Name: "a"}, {Channel: 9, Name: "new"}, {Channel: 9}}; !slices.Equal(topics, want) {
			t.Errorf("asked for %v", topics)
		}
		return map[md.Topic]int64{{Channel: 9, Name: "a"}: 214, {Channel: 9}: 215}, nil
	}
	out := render(t, s)
	if asked != 1 || strings.Count(out.HTML, `/topic/a/with/214"`) != 2 || !strings.Contains(out.HTML, `/topic/new"`) ||
		!strings.Contains(out.HTML, `/topic//with/215"`) || !out.Link {
		t.Errorf("asked %d times, %s", asked, out.HTML)
	}
}

func TestTopicLinks(t *testing.T) {
	for in, want := range map[string][]md.TopicLink{
		"":                 {},
		"plain topic: 3.5": {},
		"see https://x.org/a, b.org/c! and a@b": {{Text: "https://x.org/a", URL: "https://x.org/a"},
			{Text: "b.org/c", URL: "https://b.org/c"}},
		"'x.org' javascript:alert(1) main.py": {{Text: "x.org", URL: "https://x.org"}},
		"is it https://x.org/a? Or x.org/b. c.org: https://d.org/?": {
			{Text: "https://x.org/a", URL: "https://x.org/a"}, {Text: "x.org/b", URL: "https://x.org/b"},
			{Text: "c.org", URL: "https://c.org"}, {Text: "https://d.org/", URL: "https://d.org/"},
		},
		"<https://x.org> a@b.org.": {{Text: "a@b.org", URL: "mailto:a@b.org"}},
		"http://x.org:80/. y.org>": {{Text: "http://x.org:80/", URL: "http://x.org:80/"},
			{Text: "y.org", URL: "https://y.org"}},
		"x.org/a_(b), (x.org/c) x.org/d(": {{Text: "x.org/a_(b)", URL: "https://x.org/a_(b)"}},
		`a"https://x.org/<>&"b`:           {{Text: "https://x.org/<>&", URL: "https://x.org/<>&"}},
	} {
		got := renderer().TopicLinks(nil, in)
		if got == nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}
