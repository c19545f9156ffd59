package markdown

import (
	"fmt"
	"mime"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
)

// uploadImage is ![alt](/user_uploads/...). How it is shown depends on the upload's type.
type uploadImage struct {
	ast.BaseInline
	alt, upload string
	link        *link // shown if the upload is neither an image nor audio
	shown       *span
	image       bool
}

var kindUploadImage = ast.NewNodeKind("UploadImage")

// Kind implements ast.Node.
func (*uploadImage) Kind() ast.NodeKind { return kindUploadImage }

// Dump implements ast.Node.
func (n *uploadImage) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// uploadImages matches ![alt](url) for uploads. Other URLs are left as an exclamation mark and a link.
func (in *inline) uploadImages(s string, _ int) string {
	if in.source.Uploads == nil {
		return s
	}
	return in.bracketed(s, "![", func(alt, dest, title string) ast.Node {
		href, ok := in.target(dest)
		if !ok || !strings.HasPrefix(href, "/user_uploads/") {
			return nil
		}
		l := in.newLink(href, title, alt)
		return &uploadImage{alt: alt, upload: l.upload, link: l}
	})
}

// images determines how each uploadImage is shown.
func (p *parsing) images(doc ast.Node, known map[string]markdown.Upload) {
	var all []*uploadImage
	each(doc, func(n ast.Node) {
		if n, ok := n.(*uploadImage); ok {
			all = append(all, n)
		}
	})
	for _, n := range all {
		u := known[n.upload]
		switch {
		case isImage(u):
			n.image = true
			n.shown = image(n.upload, u, []attr{{"alt", n.alt}}, "inline-image", attr{"data-original-src", n.link.href})
		case isAudio(u):
			n.shown = &span{tag: "audio", attrs: []attr{{"controls", ""}, {"preload", "metadata"}, {"src", n.link.href},
				{"title", n.alt}}}
		default:
			parent := n.Parent()
			parent.InsertBefore(parent, n, &plain{text: "!"})
			parent.ReplaceChild(parent, n, n.link)
		}
	}
}

func mediaType(u markdown.Upload) string {
	t, _, err := mime.ParseMediaType(u.ContentType)
	if err != nil {
		return ""
	}
	return t
}

func isImage(u markdown.Upload) bool {
	return strings.HasPrefix(mediaType(u), "image/") && u.Width > 0 && u.Height > 0
}

func isVideo(u markdown.Upload) bool {
	t := mediaType(u)
	return t == "video/mp4" || t == "video/webm"
}

func isAudio(u markdown.Upload) bool {
	switch mediaType(u) {
	case "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/wav", "audio/webm":
		return true
	}
	return false
}

// image returns the element of an uploaded image: its thumbnail, or a placeholder if that does not exist yet.
func image(path string, u markdown.Upload, before []attr, class string, after ...attr) *span {
	src, animated := "/user_uploads/thumbnail/"+encoded(path)+"/840x560.webp", u.Animated
	if animated {
		src = "/user_uploads/thumbnail/" + encoded(path) + "/840x560-anim.webp"
	}
	if !u.Thumbnail {
		class, src = strings.TrimSpace(class+" image-loading-placeholder"), "/static/images/loading/loader-black.svg"
	}
	attrs := before
	if class != "" {
		attrs = append(attrs, attr{"class", class})
	}
	if animated {
		attrs = append(attrs, attr{"data-animated", "true"})
	}
	attrs = append(attrs, attr{"data-original-content-type", mediaType(u)},
		attr{"data-original-dimensions", fmt.Sprintf("%dx%d", u.Width, u.Height)})
	attrs = append(attrs, after...)
	if u.Transcoded != "" {
		attrs = append(attrs, attr{"data-transcoded-image", u.Transcoded})
	}
	return &span{tag: "img", void: true, attrs: append(attrs, attr{"src", src})}
}
