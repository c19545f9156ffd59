// Package markdown renders messages. It uses goldmark's tree and traversal with its own block and inline parsers,
// because the dialect shares hardly any rule with CommonMark: patterns are applied one after the other to the whole
// text, and there are no backslash escapes and no HTML. All output is escaped by construction, so source text cannot
// become a tag or an attribute. Every step takes time linear in the text.
package markdown

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Version is the version of the rendering rules. It is stored with each message, to recognize outdated renderings.
const Version = 5

// maxHTML limits the size of a rendering, in bytes.
const maxHTML = 1_000_000

type engine struct {
	renderer renderer.Renderer
	passes   []pass
	emoji    ports.Emoji
	domains  domains
	lexers   *lexers
	math     ports.Math // nil: formulas are shown as source
	config   Config

	collected *kit.Collected
	modules   func() *constructs // complete when the first text is rendered
	log       *slog.Logger
}

// New returns the renderer. If math is nil, formulas are shown as source. Texts may contain the constructs of modules,
// if these are not nil.
func New(c Config, e ports.Emoji, math ports.Math, modules *kit.Collected, log *slog.Logger) ports.Renderer {
	return &engine{
		renderer: renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(html{}, 100))),
		passes:   passes(), emoji: e, domains: publicDomains(), lexers: newLexers(), math: math, config: c,
		collected: modules, modules: sync.OnceValue(func() *constructs { return constructsOf(modules) }), log: log,
	}
}

// parsing is the state of one rendering.
type parsing struct {
	*engine
	ctx     context.Context
	view    *directory.View
	source  markdown.Source
	sender  *sender
	quoted  int // nesting depth of quotes
	topics  []*topicLink
	groups  map[string]*group.Group    // by name; built on first use
	uploads []string                   // path IDs in links and images
	known   map[string]markdown.Upload // uploads that the sender may use
	budget  linkifier.Budget           // for linkifiers
	time    context.Context            // ends when the time for the whole text is over
	pages   []string                   // targets whose metadata may be shown
	paint   painter
	written []*formula // in order of appearance
	pieces  []*made    // likewise

	indentedCode []*codeBlock // more lines may follow while blocks are parsed
}

// Render implements ports.Renderer.
func (e *engine) Render(ctx context.Context, v *directory.View, s markdown.Source) (markdown.Output, error) {
	p := &parsing{engine: e, ctx: ctx, view: v, source: s, sender: newSender(v, s), budget: linkifier.Work(len(s.Text))}
	stop := p.begin()
	defer stop()
	doc := ast.NewDocument()
	p.text(doc, markdown.Lines(s.Text), 0)
	for _, n := range p.indentedCode {
		p.paint.detect(n)
	}
	p.renderPieces()
	p.renderFormulas()
	if err := ctx.Err(); err != nil { // what was cut short must not be stored
		return markdown.Output{}, err
	}
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

// Limits of the time that rendering takes for one text. Formulas and highlighted code share what parsing leaves of it,
// in addition to their own limits; when it is over, the rest is shown as source, which clients accept. Linkifiers are
// limited by their steps instead, so that a busy server loses no links.
const (
	maxRender        = 250 * time.Millisecond
	maxRenderPatient = 6 * time.Second // for background jobs
)

// begin starts the time of the text.
func (p *parsing) begin() (stop context.CancelFunc) {
	limit := maxRender
	if p.source.Background {
		limit = maxRenderPatient
	}
	p.time, stop = context.WithTimeout(p.ctx, limit)
	p.budget.Over = func() bool { return p.ctx.Err() != nil }
	p.paint = p.lexers.painter(p.time, p.source.Background)
	return stop
}

// resolve looks up facts outside the text and inserts the previews.
func (p *parsing) resolve(doc ast.Node) error {
	if len(p.topics) > 0 && p.source.Topics != nil {
		if err := p.addNewest(); err != nil {
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

// limited is a buffer of at most maxHTML bytes. It implements util.BufWriter so that goldmark does not wrap it.
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
