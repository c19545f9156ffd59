package markdown

import (
	"slices"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/user"
)

// mentionTarget holds the targets of a mention.
type mentionTarget struct {
	user           user.ID
	group          group.ID
	channel, topic bool
}

// facts adds to out what the finished tree contains: links, mentions, uploads and the like.
func (p *parsing) facts(doc ast.Node, out *markdown.Output) {
	each(doc, func(n ast.Node) {
		switch n := n.(type) {
		case *link:
			out.Link = true
			p.addAttachment(n.upload, out)
		case *uploadImage:
			out.Image = out.Image || n.image
			p.addAttachment(n.upload, out)
		case *made:
			out.Link = out.Link || n.link
		case *preview: // its link may have been removed
			out.Image, out.Link = true, true
			p.addAttachment(n.upload, out)
		case *span:
			out.Link = out.Link || n.tag == "a"
			out.ChannelWildcard = out.ChannelWildcard || n.target.channel
			out.TopicWildcard = out.TopicWildcard || n.target.topic
			if id := n.target.user; id != 0 {
				out.Users = append(out.Users, id)
			}
			if id := n.target.group; id != 0 {
				out.Groups = append(out.Groups, id)
			}
		}
	})
	out.Users, out.Groups, out.Attachments = distinct(out.Users), distinct(out.Groups), distinct(out.Attachments)
}

// addAttachment records a reference to an upload if the sender may use the upload.
func (p *parsing) addAttachment(upload string, out *markdown.Output) {
	if _, ok := p.known[upload]; ok {
		out.Attachments = append(out.Attachments, upload)
	}
}

// each calls f for all nodes under n, in document order.
func each(n ast.Node, f func(ast.Node)) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		f(c)
		each(c, f)
	}
}

// distinct returns all without duplicates, in the same order.
func distinct[T comparable](all []T) []T {
	if len(all) < 2 {
		return all
	}
	seen := make(map[T]bool, len(all))
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool {
		duplicate := seen[x]
		seen[x] = true
		return duplicate
	})
}
