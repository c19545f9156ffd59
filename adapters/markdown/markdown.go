// Package markdown renders messages with goldmark: its blocks and inlines without raw HTML, and our own inlines for
// mentions, channel links and emoji. What it writes is escaped by construction; there is no way for source text to become a
// tag or an attribute of its own.
package markdown

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// Version is that of the rendering rules; it is stored with each message, so that a later one can render again.
const Version = 1

// maxHTML is how many bytes a rendering may have (markdown.md §1).
const maxHTML = 1_000_000

// maxDepth is how deeply quotes and lists may nest; deeper marks stay text. Without it nesting costs quadratic time.
const maxDepth = 30

type engine struct {
	parser   parser.Parser
	renderer renderer.Renderer
}

// New gives the renderer.
func New() ports.Renderer {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(mentionParser{}, 150),
			util.Prioritized(channelParser{}, 160),
			util.Prioritized(patientLinks{parser.NewLinkParser().(linkParser)}, 200),
			util.Prioritized(starsOnly{parser.NewEmphasisParser()}, 500),
			util.Prioritized(extension.NewStrikethroughParser(), 510),
			util.Prioritized(emojiParser{}, 600),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	r := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(nodes{}, 100),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignStyle)), 500),
		util.Prioritized(html.NewRenderer(html.WithHardWraps()), 1000),
	))
	return &engine{p, r}
}

// state travels through one rendering.
type state struct {
	view   *directory.View
	source markdown.Source
	out    *markdown.Output
	failed int // link targets that turned out to be none
}

var stateKey = parser.NewContextKey()

func of(pc parser.Context) *state { return pc.Get(stateKey).(*state) }

// Render implements ports.Renderer.
func (e *engine) Render(_ context.Context, v *directory.View, s markdown.Source) (markdown.Output, error) {
	out := markdown.Output{Version: Version}
	pc := parser.NewContext()
	pc.Set(stateKey, &state{view: v, source: s, out: &out})
	source := []byte(s.Text)
	doc := e.parser.Parse(text.NewReader(source), parser.WithContext(pc))
	if err := facts(doc, &out); err != nil {
		return markdown.Output{}, err
	}
	w := &limited{}
	if err := e.renderer.Render(w, source, doc); err != nil {
		if errors.Is(err, errTooLarge) {
			return markdown.Output{}, errs.Bad("Unable to render message")
		}
		return markdown.Output{}, err
	}
	out.HTML = strings.TrimSuffix(w.String(), "\n")
	return out, nil
}

// TopicLinks implements ports.Renderer.
func (e *engine) TopicLinks(*directory.View, string) []markdown.TopicLink {
	return []markdown.TopicLink{}
}

// facts notes what the tree holds.
func facts(doc ast.Node, out *markdown.Output) error {
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n.Kind() {
			case ast.KindLink, ast.KindAutoLink, ast.KindImage:
				out.Link = true
			}
		}
		return ast.WalkContinue, nil
	})
}

var errTooLarge = errors.New("the rendering is too large")

// limited is a buffer that refuses to grow over maxHTML.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxHTML {
		return 0, errTooLarge
	}
	return l.Buffer.Write(b)
}

// shallow keeps containers from nesting deeper than maxDepth.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxDepth {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// starsOnly leaves underscores alone: they are never emphasis (markdown.md §3).
type starsOnly struct{ parser.InlineParser }

func (starsOnly) Trigger() []byte { return []byte{'*'} }

// maxFailed is how many link targets of a text may turn out to be none before the rest of its brackets are taken as text:
// each may have been looked for as far as the end of the line.
const maxFailed = 200

// linkParser is what goldmark's parser of links is.
type linkParser interface {
	parser.InlineParser
	parser.CloseBlocker
}

// patientLinks keeps a text full of ](  from costing quadratic time.
type patientLinks struct{ linkParser }

func (p patientLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("](")) {
		return p.linkParser.Parse(parent, block, pc)
	}
	st := of(pc)
	if st.failed >= maxFailed {
		return nil
	}
	n := p.linkParser.Parse(parent, block, pc)
	if n == nil {
		st.failed++
	}
	return n
}
