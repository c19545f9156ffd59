package markdown

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/stoachat/stoa/domain/markdown"
)

// embed shows the metadata of a linked page.
type embed struct {
	ast.BaseBlock
	href, image, title, description string
}

var kindEmbed = ast.NewNodeKind("Embed")

// Kind implements ast.Node.
func (*embed) Kind() ast.NodeKind { return kindEmbed }

// Dump implements ast.Node.
func (n *embed) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// page reports whether the metadata of a linked page may be shown. has reports whether the link has a preview of its
// own.
func (p *parsing) page(l *link, has bool) bool {
	u, err := url.Parse(l.href)
	site := markdown.Site(l.href)
	if err != nil || site == "" || site == markdown.Site(p.source.RealmURL) {
		return false
	}
	return !has || markdown.YouTubeID(u) != "" || markdown.VimeoID(u) != ""
}

// embeds records which linked pages may be shown, adds those with known metadata, and replaces bare links to videos by
// their titles.
func (p *parsing) embeds(doc ast.Node, pages []*link) {
	for _, l := range pages {
		p.pages = append(p.pages, l.href)
	}
	if len(pages) == 0 || len(p.source.Embeds) == 0 {
		return
	}
	p.titles(doc, pages)
	for _, l := range pages {
		u, err := url.Parse(l.href)
		known := p.source.Embeds[l.href]
		if err != nil || !isImageURL(known.Image) || markdown.YouTubeID(u) != "" || markdown.VimeoID(u) != "" {
			continue
		}
		to := end(doc, l.block())
		to.AppendChild(to, &embed{href: l.href, image: p.proxied(known.Image), title: known.Title,
			description: known.Description})
	}
}

// titles replaces bare links to videos by the videos' titles.
func (p *parsing) titles(doc ast.Node, pages []*link) {
	names := map[string]string{}
	for _, l := range pages {
		u, err := url.Parse(l.href)
		title := p.source.Embeds[l.href].Title
		switch {
		case err != nil || title == "":
		case markdown.YouTubeID(u) != "":
			names[l.href] = "YouTube - " + title
		case markdown.VimeoID(u) != "":
			names[l.href] = "Vimeo - " + title
		}
	}
	each(doc, func(n ast.Node) {
		if l, ok := n.(*link); ok && !l.quoted && l.text == l.href && names[l.href] != "" {
			l.text, l.plain = names[l.href], true
		}
	})
}

// vimeo returns the preview of a Vimeo video once its image is known. It generates the player's HTML and ignores
// Vimeo's.
func (p *parsing) vimeo(l *link, u *url.URL) (linkPreview, bool) {
	id, image := markdown.VimeoID(u), p.source.Embeds[l.href].Image
	if id == "" || !isImageURL(image) {
		return linkPreview{}, false
	}
	player := `<iframe src="https://player.vimeo.com/video/` + id + `" width="640" height="360" allowfullscreen></iframe>`
	return linkPreview{link: l, stays: true, page: true, preview: &preview{
		class: "embed-video message_inline_image", link: []attr{{"data-id", player}, {"href", l.href}},
		inner: &span{tag: "img", void: true, attrs: []attr{{"src", p.proxied(image)}}},
	}}, true
}

// isImageURL reports whether an image may be loaded from an address. Line breaks are allowed, since inStyle escapes
// them.
func isImageURL(address string) bool {
	return markdown.Site(strings.NewReplacer("\n", "", "\r", "", "\f", "").Replace(address)) != ""
}

// inStyle escapes an address for url("...") in a style attribute.
func inStyle(address string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `, "\r", `\d `, "\f", `\c `).Replace(address)
}

func embedHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*embed)
	var b strings.Builder
	b.WriteString(`<div class="message_embed">`)
	tag(&b, "a", []attr{{"class", "message_embed_image"}, {"href", n.href},
		{"style", `background-image: url("` + inStyle(n.image) + `")`}})
	b.WriteString(`</a><div class="data-container">`)
	if n.title != "" {
		b.WriteString(`<div class="message_embed_title">`)
		tag(&b, "a", []attr{{"href", n.href}, {"title", n.title}})
		b.WriteString(escape(n.title) + "</a></div>")
	}
	if n.description != "" {
		b.WriteString(`<div class="message_embed_description">` + escape(n.description) + "</div>")
	}
	b.WriteString("</div></div>\n")
	_, err := w.WriteString(b.String())
	return ast.WalkContinue, err
}
