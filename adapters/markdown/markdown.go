// Package markdown renders messages. The tree and the walk over it are goldmark's; the parsers of blocks and inlines
// are our own, since the dialect shares hardly a rule with CommonMark: patterns run one after the other over the whole
// text, there are no backslash escapes, and no HTML. What is written is escaped by construction; there is no way for
// source text to become a tag or an attribute of its own. Every step takes time linear in the text.
package markdown

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// Version is that of the rendering rules; it is stored with each message, so that a later one can render again.
const Version = 4

// maxHTML is how many bytes a rendering may have.
const maxHTML = 1_000_000

type engine struct {
	renderer renderer.Renderer
	passes   []pass
	emoji    ports.Emoji
	domains  domains
	lexers   *lexers
	math     ports.Math // nil: the source of formulas is shown
	config   Config
}

// New gives the renderer. Without math, the source of formulas is shown.
func New(c Config, e ports.Emoji, math ports.Math) ports.Renderer {
	return &engine{
		renderer: renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(html{}, 100))),
		passes:   passes(), emoji: e, domains: publicDomains(), lexers: newLexers(), math: math, config: c,
	}
}

// parsing is the state of one rendering.
type parsing struct {
	*engine
	ctx     context.Context
	view    *directory.View
	source  markdown.Source
	sender  *sender
	quoted  int // how many quotes we are in
	topics  []*topicLink
	groups  map[string]*group.Group    // by name, once one is looked for
	uploads []string                   // path ids that links and images name
	known   map[string]markdown.Upload // those of them that the sender may use
	work    int                        // what may still be spent on linkifiers
	pages   []string                   // targets that may be shown as pages
	paint   painter
	written []*formula // in the order in which they were found
}

// Render implements ports.Renderer.
func (e *engine) Render(ctx context.Context, v *directory.View, s markdown.Source) (markdown.Output, error) {
	p := &parsing{engine: e, ctx: ctx, view: v, source: s, sender: newSender(v, s), work: linkifier.Work(len(s.Text))}
	p.paint.lexers, p.paint.within, p.paint.limit = e.lexers, ctx, maxTime
	if s.Patient {
		p.paint.limit = maxPatient
	}
	defer p.paint.end()
	doc := ast.NewDocument()
	p.text(doc, lines(s.Text), 0)
	p.drawFormulas()
	if err := p.resolve(doc); err != nil {
		return markdown.Output{}, err
	}
	out := markdown.Output{Version: Version, Pages: p.pages}
	p.facts(doc, &out)
	w := &limited{}
	w.Grow(len(s.Text) + len(s.Text)/2 + 64)
	if err := e.renderer.Render(w, nil, doc); err != nil {
		if errors.Is(err, errTooLarge) {
			return markdown.Output{}, errs.Bad("Unable to render message")
		}
		return markdown.Output{}, err
	}
	out.HTML = strings.TrimSuffix(w.String(), "\n")
	return out, nil
}

// resolve asks for what only others know, and puts the previews where they belong.
func (p *parsing) resolve(doc ast.Node) error {
	if len(p.topics) > 0 && p.source.Topics != nil {
		if err := p.newest(); err != nil {
			return err
		}
	}
	if len(p.uploads) > 0 && p.source.Uploads != nil {
		var err error
		if p.known, err = p.source.Uploads(p.ctx, distinct(p.uploads)); err != nil {
			return err
		}
	}
	if len(p.uploads) > 0 {
		p.images(doc, p.known)
	}
	if !p.source.Description {
		p.previews(doc, p.known)
	}
	return nil
}

var errTooLarge = errors.New("the rendering is too large")

// limited is a buffer that refuses to grow over maxHTML. It is a util.BufWriter, so that goldmark puts none around it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxHTML {
		return 0, errTooLarge
	}
	return l.Buffer.Write(b)
}

// WriteString implements io.StringWriter.
func (l *limited) WriteString(s string) (int, error) {
	if l.Len()+len(s) > maxHTML {
		return 0, errTooLarge
	}
	return l.Buffer.WriteString(s)
}

// Available implements util.BufWriter.
func (l *limited) Available() int { return l.Buffer.Available() }

// Buffered implements util.BufWriter.
func (l *limited) Buffered() int { return l.Len() }

// Flush implements util.BufWriter.
func (l *limited) Flush() error { return nil }
