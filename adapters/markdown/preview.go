package markdown

import (
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
)

// maxPreviews limits how many link targets in a text have previews. If there are more, none has.
const maxPreviews = 24

// linkPreview is a link and its preview.
type linkPreview struct {
	link    *link
	preview *preview
	stays   bool // keep the link even if it is alone in its paragraph
	page    bool // also use the metadata of its page
}

// targets returns the links outside quotes, only the first for each target.
func targets(doc ast.Node) []*link {
	var out []*link
	had := map[string]bool{}
	each(doc, func(n ast.Node) {
		l, ok := n.(*link)
		if !ok || l.quoted || had[l.href] || l.Parent().Kind() == kindUploadImage {
			return
		}
		had[l.href] = true
		out = append(out, l)
	})
	return out
}

// previews adds the previews of links, then the metadata of other linked pages.
func (p *parsing) previews(doc ast.Node, known map[string]markdown.Upload) {
	var found []linkPreview
	var pages []*link
	shown := p.view == nil || p.view.Realm() == nil || p.view.Realm().Settings.InlineImagePreview
	for _, l := range targets(doc) {
		s, ok := p.previewOf(l, known)
		if ok && shown {
			found = append(found, s)
		}
		if p.page(l, ok) {
			pages = append(pages, l)
		}
	}
	all := len(pages)
	for _, s := range found {
		if !s.page {
			all++
		}
	}
	if all > maxPreviews {
		pages = nil
	}
	if len(found) <= maxPreviews {
		insertPreviews(doc, found)
	}
	p.embeds(doc, pages)
}

// insertPreviews inserts the previews into the tree.
func insertPreviews(doc ast.Node, found []linkPreview) {
	last := map[ast.Node]ast.Node{} // the last preview after each paragraph
	for _, s := range found {
		s.preview.upload = s.link.upload
		insertPreview(doc, s, last)
	}
	for para := range last {
		if para.FirstChild() == nil {
			para.Parent().RemoveChild(para.Parent(), para)
		}
	}
}

// insertPreview inserts a preview after its paragraph, at the end of its list item, or at the end of the text or
// spoiler. A link that is alone in its paragraph or item is replaced by its preview.
func insertPreview(doc ast.Node, s linkPreview, last map[ast.Node]ast.Node) {
	block := s.link.block()
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
		to := end(doc, block)
		to.AppendChild(to, s.preview)
		return
	}
	if alone {
		block.RemoveChild(block, s.link)
	}
}

// block returns the block that contains a link.
func (n *link) block() ast.Node {
	block := n.Parent()
	for block.Type() == ast.TypeInline {
		block = block.Parent()
	}
	return block
}

// end returns the node to append block's previews to: the document, or the part of a spoiler that contains block.
func end(doc, block ast.Node) ast.Node {
	to := block
	for to != doc && to.Kind() != kindSpoiler {
		block, to = to, to.Parent()
	}
	if to.Kind() == kindSpoiler {
		return block // the header or the content
	}
	return to
}

// previewOf returns the preview of a link: of a video file, an image, or a YouTube or Vimeo video, tried in this order.
func (p *parsing) previewOf(l *link, known map[string]markdown.Upload) (linkPreview, bool) {
	if l.upload != "" {
		return uploadPreview(l, known[l.upload])
	}
	u, err := url.Parse(l.href)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return linkPreview{}, false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".mp4", ".webm":
		return linkPreview{link: l, preview: video(l)}, true
	case ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp":
		img := &span{tag: "img", void: true, attrs: []attr{{"src", p.proxied(rawAddress(u, l.href))}}}
		return linkPreview{link: l, preview: &preview{class: "message_inline_image", link: l.attrs(), inner: img}}, true
	}
	if id := markdown.YouTubeID(u); id != "" {
		img := &span{tag: "img", void: true, attrs: []attr{{"src",
			p.proxied("https://i.ytimg.com/vi/" + id + "/mqdefault.jpg")}}}
		return linkPreview{link: l, stays: true, page: true, preview: &preview{
			class: "youtube-video message_inline_image", link: []attr{{"data-id", id}, {"href", l.href}}, inner: img,
		}}, true
	}
	return p.vimeo(l, u)
}

func uploadPreview(l *link, u markdown.Upload) (linkPreview, bool) {
	switch {
	case isVideo(u):
		return linkPreview{link: l, preview: video(l)}, true
	case isImage(u):
		return linkPreview{link: l, preview: &preview{class: "message_inline_image", link: l.attrs(),
			inner: image(l.upload, u, nil, "")}}, true
	}
	return linkPreview{}, false
}

func video(l *link) *preview {
	return &preview{
		class: "message_inline_image message_inline_video", link: l.attrs(),
		inner: &span{tag: "video", attrs: []attr{{"preload", "metadata"}, {"src", l.href}}},
	}
}

// attrs returns the attributes of the link around a preview.
func (n *link) attrs() []attr {
	out := []attr{{"href", n.href}}
	if n.text != n.href {
		out = append(out, attr{"title", n.text})
	}
	return out
}

// rawAddress returns the address of the image itself if href is the address of an image's page on GitHub or Wikipedia,
// which is what users copy there.
func rawAddress(u *url.URL, href string) string {
	host := strings.ToLower(u.Hostname())
	const page = "/wiki/File:"
	if name, ok := strings.CutPrefix(u.EscapedPath(), page); ok && strings.HasSuffix(host, ".wikipedia.org") {
		return "https://" + host + "/wiki/Special:FilePath/File:" + name
	}
	parts := strings.SplitN(strings.TrimPrefix(u.EscapedPath(), "/"), "/", 4)
	if host != "github.com" && host != "www.github.com" || len(parts) < 4 || parts[2] != "blob" {
		return href
	}
	return "https://raw.githubusercontent.com/" + parts[0] + "/" + parts[1] + "/" + parts[3]
}
