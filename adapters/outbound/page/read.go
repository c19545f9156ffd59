package page

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/stoachat/stoa/domain/markdown"
)

// found holds a page's metadata in decreasing order of precedence: Open Graph, Twitter cards, plain HTML.
type found struct {
	title, description, image [3]string
	heading                   bool // after the first heading, where images are part of the content
}

// property returns the field for the name of a meta element.
func (f *found) property(name string) *string {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "og:title":
		return &f.title[0]
	case "og:description":
		return &f.description[0]
	case "og:image", "og:image:url", "og:image:secure_url":
		return &f.image[0]
	case "twitter:title":
		return &f.title[1]
	case "twitter:description":
		return &f.description[1]
	case "twitter:image", "twitter:image:src":
		return &f.image[1]
	case "description":
		return &f.description[2]
	}
	return nil
}

// read reads a page in a single pass over its tokens, without building a tree.
func read(body io.Reader, contentType string, at *url.URL) (markdown.Embed, error) {
	text, err := charset.NewReader(body, contentType)
	if errors.Is(err, io.EOF) { // an empty page
		return markdown.Embed{}, nil
	}
	if err != nil {
		return markdown.Embed{}, err
	}
	z, f := html.NewTokenizer(text), &found{}
	for in := ""; ; {
		switch z.Next() {
		case html.ErrorToken: // usually the end or the limit
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return markdown.Embed{}, err
			}
			return f.embed(at), nil
		case html.TextToken:
			if in == "title" && f.title[2] == "" {
				f.title[2] = string(z.Text())
			}
			in = ""
		case html.StartTagToken, html.SelfClosingTagToken:
			in = f.tag(z)
		}
	}
}

// tag processes a start tag and returns its name.
func (f *found) tag(z *html.Tokenizer) string {
	raw, has := z.TagName()
	name := string(raw)
	attrs := map[string]string{}
	if name == "meta" || name == "link" || name == "img" {
		for has {
			var k, v []byte
			k, v, has = z.TagAttr()
			switch key := string(k); key {
			case "property", "name", "content", "rel", "href", "src":
				if _, had := attrs[key]; !had {
					attrs[key] = string(v)
				}
			}
		}
	}
	switch name {
	case "meta":
		for _, key := range []string{"property", "name"} {
			if to := f.property(attrs[key]); to != nil && *to == "" {
				*to = attrs["content"]
			}
		}
	case "link":
		if strings.EqualFold(attrs["rel"], "image_src") && f.image[1] == "" {
			f.image[1] = attrs["href"]
		}
	case "h1":
		f.heading = true
	case "img":
		if f.heading && f.image[2] == "" {
			f.image[2] = attrs["src"]
		}
	}
	return name
}

const (
	maxTitle       = 300 // characters
	maxDescription = 1000
)

func (f *found) embed(at *url.URL) markdown.Embed {
	e := markdown.Embed{Title: first(f.title, maxTitle), Description: first(f.description, maxDescription)}
	for _, src := range f.image {
		if e.Image = picture(src, at); e.Image != "" {
			break
		}
	}
	return e
}

func first(of [3]string, limit int) string {
	for _, s := range of {
		if s = line(s, limit); s != "" {
			return s
		}
	}
	return ""
}

// line converts a text to a single line of at most limit characters, without control characters.
func line(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit-1]) + "…"
	}
	return s
}

// picture returns the absolute URL of an image, or "".
func picture(src string, at *url.URL) string {
	src = strings.TrimSpace(src)
	if src == "" || len(src) > maxAddress {
		return ""
	}
	u, err := at.Parse(src)
	if err != nil || u.User != nil || markdown.Site(u.String()) == "" || len(u.String()) > maxAddress {
		return ""
	}
	u.Fragment = ""
	return u.String()
}
