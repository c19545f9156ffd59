package markdown

import (
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
)

// maxPreviews is how many targets of a text may have previews; with more none has one (markdown.md §11.1).
const maxPreviews = 24

// seen is a link that has a preview.
type seen struct {
	link    *link
	preview *preview
	stays   bool // the link is kept, also if it is all of its paragraph
}

// previews adds the previews of the links outside quotes, each target once.
func (p *parsing) previews(doc ast.Node, known map[string]markdown.Upload) {
	var found []seen
	had := map[string]bool{}
	each(doc, func(n ast.Node) {
		l, ok := n.(*link)
		if !ok || l.quoted || had[l.href] || l.Parent().Kind() == kindUploadImage {
			return
		}
		had[l.href] = true
		if s, ok := previewOf(l, known); ok {
			found = append(found, s)
		}
	})
	if len(found) > maxPreviews {
		return
	}
	last := map[ast.Node]ast.Node{} // the last preview after each paragraph
	for _, s := range found {
		s.preview.upload = s.link.upload
		place(doc, s, last)
	}
	for para := range last {
		if para.FirstChild() == nil {
			para.Parent().RemoveChild(para.Parent(), para)
		}
	}
}

// place puts a preview after its paragraph, at the end of its item, or at the end of the text or the spoiler; a link that is
// all of its paragraph or item makes room for it.
func place(doc ast.Node, s seen, last map[ast.Node]ast.Node) {
	block := s.link.Parent()
	for block.Type() == ast.TypeInline {
		block = block.Parent()
	}
	alone := !s.stays && s.link.Parent() == block && block.ChildCount() == 1 && s.link.text == s.link.href
	switch block.Kind() {
	case ast.KindParagraph:
		after := last[block]
		if after == nil {
			after = block
		}
		block.Parent().InsertAfter(block.Parent(), after, s.preview)
		last[block] = s.preview
	case ast.KindTextBlock:
		li := block.Parent()
		li.AppendChild(li, s.preview)
		if alone {
			li.RemoveChild(li, block)
		}
		return
	default:
		to := block
		for to != doc && to.Kind() != kindSpoiler {
			block, to = to, to.Parent()
		}
		if to.Kind() == kindSpoiler {
			to = block // the header or the content
		}
		to.AppendChild(to, s.preview)
		return
	}
	if alone {
		block.RemoveChild(block, s.link)
	}
}

// previewOf gives the preview of a link: a video, an image or a video of YouTube, in this order.
func previewOf(l *link, known map[string]markdown.Upload) (seen, bool) {
	if l.upload != "" {
		return uploadPreview(l, known[l.upload])
	}
	u, err := url.Parse(l.href)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return seen{}, false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".mp4", ".webm":
		return seen{link: l, preview: video(l)}, true
	case ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp":
		img := &span{tag: "img", void: true, attrs: []attr{{"src", rawAddress(u, l.href)}}}
		return seen{link: l, preview: &preview{class: "message_inline_image", link: l.attrs(), inner: img}}, true
	}
	if id := youtube(u); id != "" {
		img := &span{tag: "img", void: true, attrs: []attr{{"src", "https://i.ytimg.com/vi/" + id + "/mqdefault.jpg"}}}
		return seen{link: l, stays: true, preview: &preview{
			class: "youtube-video message_inline_image", link: []attr{{"data-id", id}, {"href", l.href}}, inner: img,
		}}, true
	}
	return seen{}, false
}

func uploadPreview(l *link, u markdown.Upload) (seen, bool) {
	switch {
	case isVideo(u):
		return seen{link: l, preview: video(l)}, true
	case isImage(u):
		return seen{link: l, preview: &preview{class: "message_inline_image", link: l.attrs(), inner: image(l.upload, u, nil, "")}}, true
	}
	return seen{}, false
}

func video(l *link) *preview {
	return &preview{
		class: "message_inline_image message_inline_video", link: l.attrs(),
		inner: &span{tag: "video", attrs: []attr{{"preload", "metadata"}, {"src", l.href}}},
	}
}

// attrs are those of the link around a preview.
func (n *link) attrs() []attr {
	out := []attr{{"href", n.href}}
	if n.text != n.href {
		out = append(out, attr{"title", n.text})
	}
	return out
}

// rawAddress gives the address of the bytes of an image: GitHub shows a page at the one that people copy.
func rawAddress(u *url.URL, href string) string {
	host := strings.ToLower(u.Hostname())
	parts := strings.SplitN(strings.TrimPrefix(u.EscapedPath(), "/"), "/", 4)
	if host != "github.com" && host != "www.github.com" || len(parts) < 4 || parts[2] != "blob" {
		return href
	}
	return "https://raw.githubusercontent.com/" + parts[0] + "/" + parts[1] + "/" + parts[3]
}

// youtube gives the id of the video that an address of YouTube shows; "" if it is none.
func youtube(u *url.URL) string {
	host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), "m.")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	id := ""
	switch {
	case host == "youtu.be" && len(parts) == 1:
		id = parts[0]
	case host != "youtube.com" && host != "youtube-nocookie.com":
	case len(parts) == 1 && parts[0] == "watch":
		id = u.Query().Get("v")
	case len(parts) == 2 && (parts[0] == "embed" || parts[0] == "shorts" || parts[0] == "v"):
		id = parts[1]
	}
	for i := range len(id) {
		if !alnum(id[i]) && id[i] != '_' && id[i] != '-' {
			return ""
		}
	}
	return id
}
