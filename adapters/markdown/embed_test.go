package markdown_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/domain/directory"
	md "github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
)

// embed checks the preview of a page as clients parse it.
func (c *client) embed(ns []*html.Node) {
	if len(ns) != 2 || ns[0].Data != "a" || class(ns[0]) != "message_embed_image" || ns[0].FirstChild != nil ||
		class(ns[1]) != "data-container" {
		c.bad("an embed of other parts")
		return
	}
	c.only(ns[0], "class", "href", "style")
	href, _ := get(ns[0], "href")
	if style, _ := get(ns[0], "style"); !inStyle.MatchString(style) {
		c.bad("style %q", style)
	}
	c.only(ns[1], "class")
	parts := children(ns[1])
	if len(parts) > 0 && class(parts[0]) == "message_embed_title" {
		a := children(parts[0])
		c.only(parts[0], "class")
		if len(a) != 1 || a[0].Data != "a" || len(children(a[0])) != 1 || a[0].FirstChild.Type != html.TextNode {
			c.bad("a title of other parts")
			return
		}
		c.only(a[0], "href", "title")
		if h, _ := get(a[0], "href"); h != href {
			c.bad("the title leads to %q", h)
		}
		if title, _ := get(a[0], "title"); title != a[0].FirstChild.Data {
			c.bad("titles %q and %q", title, a[0].FirstChild.Data)
		}
		parts = parts[1:]
	}
	if len(parts) > 0 && class(parts[0]) == "message_embed_description" {
		c.only(parts[0], "class")
		if len(children(parts[0])) != 1 || parts[0].FirstChild.Type != html.TextNode {
			c.bad("a description of other parts")
		}
		parts = parts[1:]
	}
	if len(parts) > 0 {
		c.bad("%q in an embed", parts[0].Data)
	}
}

var inStyle = regexp.MustCompile(`^background-image: url\("(?:[^"\\\n\r\f]|\\.)*"\)$`)

const page, pic = "https://x.org/page", "https://x.org/p.png"

func known(text string) md.Source {
	s := byAnn(text)
	s.RealmURL = "https://chat.example"
	s.Embeds = map[string]md.Embed{
		page:                             {Title: "T <b>", Description: "D & \"d\"", Image: pic},
		"https://x.org/bare":             {Image: `https://x.org/a"b\c` + "\n.png"},
		"https://x.org/blind":            {Title: "no image"},
		"https://x.org/script":           {Title: "t", Image: "javascript:alert(1)"},
		"https://chat.example/help":      {Title: "own", Image: pic},
		"https://x.org/a.png":            {Title: "an image", Image: pic},
		"https://youtu.be/a1":            {Title: "Tune &amp; <i>", Image: pic},
		"https://vimeo.com/12":           {Title: "Film", Image: pic},
		"https://vimeo.com/13":           {Title: "Blind film"},
		"https://vimeo.com/12\" onload=": {Title: "x", Image: pic},
	}
	return s
}

func embedded(href, image, inside string) string {
	return `<div class="message_embed"><a class="message_embed_image" href="` + href +
		`" style="background-image: url(&quot;` + image +
		`&quot;)"></a><div class="data-container">` + inside + `</div></div>`
}

func anchor(href string) string { return `<a href="` + href + `">` + href + `</a>` }

func TestEmbeds(t *testing.T) {
	whole := embedded(page, pic, `<div class="message_embed_title"><a href="`+page+
		`" title="T &lt;b&gt;">T &lt;b&gt;</a></div>`+
		`<div class="message_embed_description">D &amp; "d"</div>`)
	film := `<div class="embed-video message_inline_image"><a data-id="&lt;iframe ` +
		`src=&quot;https://player.vimeo.com/video/12&quot; width=&quot;640&quot; height=&quot;360&quot; ` +
		`allowfullscreen&gt;&lt;/iframe&gt;" href="https://vimeo.com/12"><img src="` + pic + `"></a></div>`
	tube := `<div class="youtube-video message_inline_image"><a data-id="a1" href="https://youtu.be/a1"><img ` +
		`src="https://i.ytimg.com/vi/a1/mqdefault.jpg"></a></div>`
	check(t, known, []row{
		{"bare", page, "<p>" + anchor(page) + "</p>\n" + whole},
		{"named", "[a](" + page + ") " + page, `<p><a href="` + page + `">a</a> ` + anchor(page) + "</p>\n" + whole},
		{"at the end", page + "\n\nb\n* c", "<p>" + anchor(page) + "</p>\n<p>b</p>\n<ul>\n<li>c</li>\n</ul>\n" + whole},
		{"item", "* " + page, "<ul>\n<li>" + anchor(page) + "</li>\n</ul>\n" + whole},
		{"quote", "> " + page, "<blockquote>\n<p>" + anchor(page) + "</p>\n</blockquote>"},
		{"spoiler", "```spoiler\n" + page + "\n```\nb", "<div class=\"spoiler-block\"><div " +
			"class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>" +
			anchor(page) + "</p>\n" + whole + "\n</div></div>\n<p>b</p>"},
		{"image alone", "https://x.org/bare", "<p>" + anchor("https://x.org/bare") + "</p>\n" + embedded("https://x.org/bare",
			`https://x.org/a\&quot;b\\c\a .png`, "")},
		{"no image", "https://x.org/blind", "<p>" + anchor("https://x.org/blind") + "</p>"},
		{"image of no address", "https://x.org/script", "<p>" + anchor("https://x.org/script") + "</p>"},
		{"unknown", "https://x.org/other", "<p>" + anchor("https://x.org/other") + "</p>"},
		{"own", "https://chat.example/help", "<p>" + anchor("https://chat.example/help") + "</p>"},
		{"an image", "https://x.org/a.png", picture("https://x.org/a.png", "")},
		{"youtube", "https://youtu.be/a1", `<p><a href="https://youtu.be/a1">YouTube - Tune &amp;amp; &lt;i&gt;</a></p>` +
			"\n" + tube},
		{"youtube, named", "[x](https://youtu.be/a1)", `<p><a href="https://youtu.be/a1">x</a></p>` + "\n" + tube},
		{"vimeo", "see https://vimeo.com/12", `<p>see <a href="https://vimeo.com/12">Vimeo - Film</a></p>` + "\n" + film},
		{"vimeo without image", "https://vimeo.com/13", `<p><a href="https://vimeo.com/13">Vimeo - Blind film</a></p>`},
	})
	if out := render(t, known("https://vimeo.com/12")); !out.Image {
		t.Error("a video was embedded as an image")
	}
	if out := render(t, known(page)); out.Image || !out.Link {
		t.Errorf("a page: %+v", out)
	}
}

func TestPages(t *testing.T) {
	for in, want := range map[string]string{
		"a https://x.org/a [b](http://X.org) https://x.org/a": "https://x.org/a http://X.org",
		"https://x.org/a.png https://x.org/v.mp4":             "",
		"https://youtu.be/a1 https://vimeo.com/12":            "https://youtu.be/a1 https://vimeo.com/12",
		"> https://x.org/a":                                   "",
		"`https://x.org/a`":                                   "",
		"https://CHAT.example/x mailto:a@b.org ftp://x.org":   "",
		"#**announce>a** /user_uploads/2/ab/x.png":            "",
	} {
		s := known(in)
		s.Embeds = nil
		if got := strings.Join(render(t, s).Pages, " "); got != want {
			t.Errorf("%q: pages %q, want %q", in, got, want)
		}
	}
	if out := render(t, md.Source{Text: "https://x.org/a", Description: true}); out.Pages != nil {
		t.Errorf("a description has previews: %v", out.Pages)
	}
	r := &realm.Realm{Settings: realm.Defaults()}
	r.Settings.InlineImagePreview = false
	out, err := renderer().Render(context.Background(), view().Apply(3, directory.OfRealm(nil, r)),
		known("https://x.org/a.png https://vimeo.com/12 "+page))
	if err != nil || !slices.Equal(out.Pages, []string{"https://vimeo.com/12", page}) ||
		strings.Contains(out.HTML, "<img") || !strings.Contains(out.HTML, "message_embed") {
		t.Errorf("without previews of images: %+v, %v", out, err)
	}
}

func TestManyPages(t *testing.T) {
	text := func(n int, more string) md.Source {
		s := byAnn(more)
		s.Embeds = map[string]md.Embed{}
		for i := range n {
			a := fmt.Sprintf("https://x.org/%d", i)
			s.Text += "\n" + a
			s.Embeds[a] = md.Embed{Image: pic}
		}
		return s
	}
	for _, c := range []struct {
		n    int
		more string
		want int
	}{{24, "", 24}, {25, "", 0}, {23, "https://x.org/a.png", 23}, {24, "https://x.org/a.png", 0},
		{23, "https://youtu.be/a1", 23}} {
		out := render(t, text(c.n, c.more))
		if got := strings.Count(out.HTML, "message_embed_image"); got != c.want || (len(out.Pages) > 0) != (c.want > 0) {
			t.Errorf("%d pages and %q: %d embeds, %d pages", c.n, c.more, got, len(out.Pages))
		}
		if c.more == "https://x.org/a.png" && !strings.Contains(out.HTML, "message_inline_image") {
			t.Errorf("%d pages: the image is gone", c.n)
		}
	}
}

func TestImageProxy(t *testing.T) {
	r := markdown.New(markdown.Config{ImageProxy: markdown.ImageProxy{URL: "https://img.example/", Key: "key"}},
		emoji.New(), nil, nil, nil)
	out, err := r.Render(context.Background(), view(),
		known("https://x.org/a.png "+page+" https://youtu.be/a1 https://vimeo.com/12 https://x.org/v.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	const (
		direct  = "https://img.example/bb6d65938873cdc3a65d5796cea7aa07387d80e4/68747470733a2f2f782e6f72672f612e706e67"
		anImage = `<a href="https://x.org/a.png"><img src="` + direct + `">`
	)
	if !strings.Contains(out.HTML, anImage) {
		t.Errorf("want %s in %s", anImage, out.HTML)
	}
	if n := strings.Count(out.HTML, "https://img.example/"); n != 4 ||
		!strings.Contains(out.HTML, `<video preload="metadata" src="https://x.org/v.mp4">`) {
		t.Errorf("%d images go through the proxy: %s", n, out.HTML)
	}
	for _, p := range problems(out.HTML) {
		t.Error(p)
	}
	if own, err := r.Render(context.Background(), view(),
		uploads("[x](/user_uploads/2/ab/x.png) :green_tick:")); err != nil || strings.Contains(own.HTML, "img.example") {
		t.Errorf("local images go through the proxy: %s %v", own.HTML, err)
	}
	for _, c := range []struct {
		proxy markdown.ImageProxy
		key   string
	}{
		{markdown.ImageProxy{}, ""},
		{markdown.ImageProxy{URL: "https://a.b", Key: "x"}, ""},
		{markdown.ImageProxy{URL: "a.b", Key: "x"}, "image_proxy.url"},
		{markdown.ImageProxy{URL: "https://a.b"}, "image_proxy.key"},
	} {
		err := markdown.Config{ImageProxy: c.proxy}.Validate()
		if (err == nil) != (c.key == "") || err != nil && !strings.HasPrefix(err.Error(), c.key+": ") {
			t.Errorf("%+v: %v", c.proxy, err)
		}
	}
}

// Whatever the metadata of a page contains is shown as text.
func FuzzEmbed(f *testing.F) {
	f.Add("</a><script>", "\"><b>", "https://x.org/\") ; x: url(\"")
	f.Add("&amp; \x00", "\xff", "https://x.org/\\\n\r\f")
	f.Fuzz(func(t *testing.T, title, description, image string) {
		s := byAnn(page + " https://vimeo.com/12")
		e := md.Embed{Title: title, Description: description, Image: image}
		s.Embeds = map[string]md.Embed{page: e, "https://vimeo.com/12": e}
		out, err := renderer().Render(context.Background(), view(), s)
		if err != nil {
			t.Skip()
		}
		if all := title + description + image; strings.ContainsAny(all, "\x00\r") || !utf8.ValidString(all) {
			return // the HTML parser would not return it unchanged
		}
		for _, p := range problems(out.HTML) {
			t.Errorf("%q: %s", out.HTML, p)
		}
	})
}
