package markdown_test

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"

	"github.com/stoachat/stoa/domain/directory"
	md "github.com/stoachat/stoa/domain/markdown"
)

// policy allows only the elements and attributes that messages may contain.
func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "div",
		"span", "a", "ul", "ol", "li",
		"blockquote", "table", "thead", "tbody", "tr", "th", "td", "img", "video", "audio", "time", "math", "semantics",
		"mrow", "mtext", "annotation")
	p.AllowNoAttrs().OnElements("a", "span", "img", "video", "audio", "time", "math", "semantics", "mrow", "mtext",
		"annotation")
	p.AllowURLSchemes(strings.Fields("http https ftp file bitcoin geo im irc ircs magnet mailto matrix mms news nntp " +
		"openpgp4fpr sip sms smsto ssh tel urn webcal wtai xmpp")...)
	p.AllowRelativeURLs(true)
	p.AllowAttrs("href", "title", "data-id", "data-stream-id").OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9 _-]+$`)).OnElements("a", "span", "div", "img")
	p.AllowAttrs("src").OnElements("img", "video", "audio")
	p.AllowAttrs("alt", "title").OnElements("img")
	p.AllowAttrs("preload", "controls", "title").OnElements("video", "audio")
	p.AllowAttrs("data-original-content-type", "data-original-dimensions", "data-original-src", "data-animated",
		"data-transcoded-image").OnElements("img")
	p.AllowAttrs("datetime").OnElements("time")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("aria-label", "role", "title", "data-user-id", "data-user-group-id").OnElements("span")
	p.AllowAttrs("aria-hidden").OnElements("span", "div")
	p.AllowAttrs("data-code-language").OnElements("div")
	p.AllowAttrs("xmlns", "display").OnElements("math")
	p.AllowAttrs("encoding").OnElements("annotation")
	p.AllowStyles("text-align").MatchingEnum("left", "center", "right").OnElements("th", "td")
	return p
}

// unreadable matches URLs that are kept although url.Parse rejects their host or port.
var unreadable = regexp.MustCompile(
	`(?i)^(?:(?:https?|ftp|file|geo|im|ircs?|matrix|mms|news|nntp|openpgp4fpr|sip|sms|smsto|ssh|tel|urn|webcal|wtai|xmpp|bitcoin|magnet|mailto):)?//`)

// tokens normalizes HTML, so that the spelling of entities and URLs and the order of attributes do not matter.
func tokens(t *testing.T, content string) []string {
	t.Helper()
	var out []string
	z := html.NewTokenizer(strings.NewReader(content))
	for z.Next() != html.ErrorToken {
		tok := z.Token()
		if tok.Type == html.TextToken {
			if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "text ") {
				out[n-1] += tok.Data
			} else {
				out = append(out, "text "+tok.Data)
			}
			continue
		}
		var attrs []string
		for _, a := range tok.Attr {
			switch a.Key {
			case "href", "src":
				u, err := url.Parse(a.Val)
				if err != nil { // the sanitizer removes the attribute
					if !unreadable.MatchString(a.Val) {
						t.Errorf("%s %q", a.Key, a.Val)
					}
					continue
				}
				a.Val = u.String()
			case "style":
				a.Val = strings.TrimSuffix(a.Val, ";")
			}
			if a.Key == "href" && a.Val == "" {
				continue // the sanitizer removes the attribute
			}
			attrs = append(attrs, a.Key+"="+a.Val)
		}
		slices.Sort(attrs)
		out = append(out, strings.Trim(tok.Data, "/")+" "+tok.Type.String()+" "+strings.Join(attrs, " "))
	}
	return out
}

// Source text never becomes markup: a sanitizer finds nothing to remove from the output, and clients accept it.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"<script>", "[a](javascript:x)", "![x](y \"z\")", "@**Ann Lee**<", "|a|b|\n|-|-|\n|<i>|x|", "> - ```\n<b>",
		"[<b>](x)", "&lt;script&gt; &#60;", "* a\n  1. b\n\n  c",
		"```spoiler <b>\n~~~quote\n> x\n~~~\n```", "$$a<b$$ ~~x~~ ***y***", "#**announce>a** <time:0> :smile: 👍🏽 🇺🇸",
		"https://x.org/a.png\n* https://youtu.be/x", "[x](/user_uploads/2/ab/x.png) ![y](/user_uploads/2/ab/s.mp3)",
		"```math\na\n\nb\n```", "```go\nx := \"<\"\n```", "1. a\n\n    b\n# c #\n---\n>",
		"<time:Tue Jan 02 2024 15:04:05 GMT+0200 (x)> <time:3 p.m. 1/2/24>", "a@b.org \x01 \x00 \xff",
		"*a* **b** `c` \x020\x03",
		"#12 **#3** bad1 rel\"<b>, `#4`#5 x@@y b1e \x02#6", "|#1|\n|-|\n|org/repo#2|\n> *#7*",
	} {
		f.Add(s)
	}
	r, views, p := renderer(), []*directory.View{view(), withLinkifiers(), hostile()}, policy()
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			s = s[:2000]
		}
		src := uploads(s)
		src.Emoticons, src.RealmURL, src.At = true, "https://chat.example", time.Unix(1e9, 0)
		src.Topics = func(context.Context, []md.Topic) (map[md.Topic]int64, error) { return nil, nil }
		for i, v := range views {
			out, err := r.Render(context.Background(), v, src)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			got, clean := tokens(t, out.HTML), tokens(t, p.Sanitize(out.HTML))
			if !slices.Equal(got, clean) {
				t.Errorf("view %d: %q became\n%q\nwhich a sanitizer reduces to\n%q", i, s, got, clean)
			}
			for _, problem := range problems(out.HTML) {
				t.Errorf("view %d: %q became %q, which clients reject: %s", i, s, out.HTML, problem)
			}
		}
	})
}

func FuzzTopicLinks(f *testing.F) {
	for _, s := range []string{"", "https://x.org", "a x.org/b, c", "javascript:x", "http://[", "x.org:80/%",
		"#1 x.org/#2, bad3 relx.org"} {
		f.Add(s)
	}
	views := []*directory.View{nil, withLinkifiers(), hostile()}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range views {
			rest := s
			for _, l := range renderer().TopicLinks(v, s) {
				_, after, ok := strings.Cut(rest, l.Text)
				if !ok {
					t.Errorf("%q: %q is missing or out of order", s, l.Text)
				}
				rest = after
				u, err := url.Parse(l.URL)
				if err != nil && unreadable.MatchString(l.URL) {
					continue
				}
				if err != nil || slices.Contains([]string{"javascript", "data", "vbscript"}, u.Scheme) || v == nil &&
					!slices.Contains([]string{"", "http", "https", "mailto", "bitcoin"}, u.Scheme) {
					t.Errorf("%q links to %q", s, l.URL)
				}
			}
		}
	})
}

// language matches the names of languages, and few words that stand for other blocks.
var language = regexp.MustCompile(`^[a-z0-9+-]{1,50}$`)

// FuzzCode renders code in any language.
func FuzzCode(f *testing.F) {
	for _, s := range [][2]string{{"go", "var x = `{{.}}`"}, {"jungle", "-"}, {"jsonata", `"`}, {"fortran", `"\\\"\\\`},
		{"http", "GET / HTTP/1.1\nContent-Type: text/html\n\n<p>"}, {"svelte", "{#if a}<p>{/if}"}, {"lua", "[[["},
		{"markdown", "---\na: b\n---\n```c++\n[[[\n```\n"}, {"rst", ".. code:: go\n\n  x\n\n"}, {"haxe", "#if a\n#end"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, word, text string) {
		if !language.MatchString(word) || len(text) > 10_000 || strings.Contains(text, "~~~") {
			return
		}
		out := code(t, word, text)
		for _, problem := range problems(out.HTML) {
			t.Errorf("%s %q became %q, which clients reject: %s", word, text, out.HTML, problem)
		}
	})
}
