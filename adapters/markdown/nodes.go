package markdown

import "github.com/yuin/goldmark/ast"

// plain is text. If entity is set, it is written verbatim; if raw is set, newlines are not line breaks.
type plain struct {
	ast.BaseInline
	text        string
	entity, raw bool
}

// span is an element that contains plain text: code, a mention, a channel link, an emoji, a time, an inline image.
type span struct {
	ast.BaseInline
	tag    string
	void   bool // has neither text nor end tag
	attrs  []attr
	text   string
	em     string // emphasized text after text
	after  string // text after em
	target mentionTarget
}

type attr struct{ key, value string }

// codeBlock is a block of code.
type codeBlock struct {
	ast.BaseBlock
	name     string // display name of the language, or ""
	text     string
	tokens   []token // the highlighted text; nil: not highlighted
	indented bool
}

// spoiler holds two blocks: the header, which is always visible, and the content.
type spoiler struct{ ast.BaseBlock }

type spoilerPart struct {
	ast.BaseBlock
	kind ast.NodeKind
}

// preview shows a linked image or video.
type preview struct {
	ast.BaseBlock
	class  string
	link   []attr
	inner  *span
	upload string // path ID of the upload that is shown
}

var (
	kindPlain   = ast.NewNodeKind("Plain")
	kindSpan    = ast.NewNodeKind("Span")
	kindCode    = ast.NewNodeKind("Code")
	kindSpoiler = ast.NewNodeKind("Spoiler")
	kindHeader  = ast.NewNodeKind("SpoilerHeader")
	kindContent = ast.NewNodeKind("SpoilerContent")
	kindPreview = ast.NewNodeKind("Preview")
)

// Kind implements ast.Node.
func (*plain) Kind() ast.NodeKind { return kindPlain }

// Kind implements ast.Node.
func (*span) Kind() ast.NodeKind { return kindSpan }

// Kind implements ast.Node.
func (*codeBlock) Kind() ast.NodeKind { return kindCode }

// Kind implements ast.Node.
func (*spoiler) Kind() ast.NodeKind { return kindSpoiler }

// Kind implements ast.Node.
func (n *spoilerPart) Kind() ast.NodeKind { return n.kind }

// Kind implements ast.Node.
func (*preview) Kind() ast.NodeKind { return kindPreview }

// Dump implements ast.Node.
func (n *plain) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump implements ast.Node.
func (n *span) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump implements ast.Node.
func (n *codeBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump implements ast.Node.
func (n *spoiler) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump implements ast.Node.
func (n *preview) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump implements ast.Node.
func (n *spoilerPart) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
