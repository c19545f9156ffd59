package markdown

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/stoachat/stoa/modules/kit"
)

// construct is a construct of a module.
type construct struct {
	kit.Construct
	module string
	class  string        // the prefix of the classes that it may use
	busy   *atomic.Int32 // pieces of the module that are being rendered
}

// constructs are the constructs of all modules.
type constructs struct {
	inline []construct
	blocks map[string]construct // by language
}

func constructsOf(modules *kit.Collected) *constructs {
	all := &constructs{blocks: map[string]construct{}}
	if modules == nil {
		return all
	}
	for _, m := range modules.Modules {
		busy := &atomic.Int32{}
		for _, c := range m.Parts.Markdown {
			one := construct{c, m.Module, m.Module + "-", busy}
			if c.Language != "" {
				all.blocks[c.Language] = one
			} else {
				all.inline = append(all.inline, one)
			}
		}
	}
	return all
}

// made is a piece of text that a module renders.
type made struct {
	ast.BaseInline
	construct
	written kit.Written
	source  string
	block   bool
	html    string
	link    bool // contains a link
}

var kindMade = ast.NewNodeKind("Made")

// Kind implements ast.Node.
func (*made) Kind() ast.NodeKind { return kindMade }

// Type implements ast.Node.
func (n *made) Type() ast.NodeType {
	if n.block {
		return ast.TypeBlock
	}
	return ast.TypeInline
}

// Dump implements ast.Node.
func (n *made) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

func madeHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*made)
	s := n.html
	if n.block {
		s = `<div class="` + quote(n.module) + `">` + s + "</div>\n"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

// Limits of the pieces of one text that modules render. Pieces beyond them are shown as they were written.
const (
	maxMade        = 100
	maxMadeSource  = 10_000 // bytes of a piece
	maxMadeTime    = 100 * time.Millisecond
	maxMadePatient = 2 * time.Second // for background jobs
	maxMadeHTML    = 100_000         // bytes, of all pieces
	maxMadeBusy    = 8               // pieces of a module that are rendered at the same time, including abandoned ones
)

// constructs matches the inline constructs of modules.
func (in *inline) constructs(s string, _ int) string {
	if in.source.Description {
		return s
	}
	for _, c := range in.modules().inline {
		s = in.each(s, c.Open[0], func(r *rewriting, at int) int {
			if !strings.HasPrefix(s[at:], c.Open) {
				return at + 1
			}
			start := at + len(c.Open)
			line, _, _ := strings.Cut(s[start:], "\n")
			size := strings.Index(line, c.Close)
			if size < 0 {
				return start + len(line)
			}
			end := start + size + len(c.Close)
			if size == 0 || size > maxMadeSource || len(in.pieces) == maxMade {
				return end
			}
			n := &made{construct: c, source: in.written(s[at:end])}
			n.written = kit.Written{Realm: in.realmID(), Text: in.written(s[start : start+size])}
			in.pieces = append(in.pieces, n)
			r.replace(at, end, n)
			return end
		})
	}
	return s
}

// madeBlock adds a fenced block that a module renders, or returns false.
func (p *parsing) madeBlock(parent ast.Node, language, header string, content []string) bool {
	if p.source.Description || len(p.pieces) == maxMade {
		return false
	}
	c, ok := p.modules().blocks[language]
	text := strings.Join(content, "\n")
	if !ok || len(text) > maxMadeSource || strings.Trim(text, " \n") == "" {
		return false
	}
	n := &made{construct: c, source: text, block: true}
	n.written = kit.Written{Realm: p.realmID(), Text: text, Header: header}
	p.pieces = append(p.pieces, n)
	parent.AppendChild(parent, n)
	return true
}

// renderPieces lets modules render their pieces until the limits are reached.
func (p *parsing) renderPieces() {
	if len(p.pieces) == 0 {
		return
	}
	limit := maxMadeTime
	if p.source.Background {
		limit = maxMadePatient
	}
	ctx, cancel := context.WithTimeout(p.time, limit)
	defer cancel()
	room, logged := maxMadeHTML, false
	for _, n := range p.pieces {
		html, err := p.renderPiece(ctx, n)
		if err == nil && len(html) > room {
			err = errors.New("the HTML is too large")
		}
		if err == nil {
			n.html, n.link = sanitize(html, n.class, n.block)
			room -= len(n.html)
			continue
		}
		if parent := n.Parent(); parent != nil { // nil: within what is shown as it was written
			parent.ReplaceChild(parent, n, p.unmade(n))
		}
		if !logged && p.ctx.Err() == nil { // one line per text
			logged = true
			p.log.Warn("a module cannot render a part of a text", "module", n.module, "construct", n.Name(), "error", err)
		}
	}
}

// unmade returns the node that shows a piece as it was written.
func (p *parsing) unmade(n *made) ast.Node {
	if n.block {
		return p.paint.block(n.Language, strings.Trim(n.source, "\n"))
	}
	return &plain{text: n.source, raw: true}
}

// renderPiece calls the module, which it abandons when ctx ends.
func (p *parsing) renderPiece(ctx context.Context, n *made) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if n.busy.Add(1) > maxMadeBusy {
		n.busy.Add(-1)
		return "", errors.New("the module is busy with other texts")
	}
	type result struct {
		html string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer n.busy.Add(-1)
		var r result
		defer func() { done <- r }()
		defer p.collected.Panics.Recover(n.module, n.Name(), &r.err)
		r.html, r.err = n.Render(ctx, n.written)
	}()
	select {
	case r := <-done:
		return r.html, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
