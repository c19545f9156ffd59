package template

import (
	"slices"
	"strings"
	"text/template/parse"
)

// Run is one execution of a template.
type Run struct {
	set    *Set
	mode   Mode
	root   any
	env    any
	out    strings.Builder
	steps  int
	parts  int // nesting of parts
	vars   []variable
	halted bool // a limit was reached
}

type variable struct {
	name  string
	value any
}

// Mode selects what happens to inserted values.
type Mode int

// Modes.
const (
	Lines Mode = iota // escaped, with their lines
	Line              // escaped, joined into one line
	Plain             // not escaped, for texts that are not Markdown
)

// Execute returns the text of a template for data. Functions find env in their Run.
func (t *Template) Execute(data, env any, mode Mode) string {
	r := &Run{set: t.set, mode: mode, root: data, env: env, steps: maxSteps, vars: []variable{{"$", data}}}
	r.list(t.root, data)
	return r.out.String()
}

// Env returns the env of Execute.
func (r *Run) Env() any { return r.env }

// Root returns the data of Execute.
func (r *Run) Root() any { return r.root }

// Spend uses n steps. It returns false if the execution has to stop.
func (r *Run) Spend(n int) bool {
	r.steps -= n
	if r.steps < 0 {
		r.halted = true
	}
	return !r.halted
}

func (r *Run) list(l *parse.ListNode, dot any) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		if !r.Spend(1) {
			return
		}
		r.node(n, dot)
	}
}

func (r *Run) node(n parse.Node, dot any) {
	scope := len(r.vars)
	switch n := n.(type) {
	case *parse.TextNode:
		r.write(string(n.Text))
	case *parse.ActionNode:
		if v := r.pipeline(n.Pipe, dot); len(n.Pipe.Decl) == 0 {
			r.insert(v)
		}
		return // its variables outlive it
	case *parse.IfNode:
		if True(r.pipeline(n.Pipe, dot)) {
			r.list(n.List, dot)
		} else {
			r.list(n.ElseList, dot)
		}
	case *parse.WithNode:
		if v := r.pipeline(n.Pipe, dot); True(v) {
			r.list(n.List, v)
		} else {
			r.list(n.ElseList, dot)
		}
	case *parse.RangeNode:
		r.loop(n, dot)
	case *parse.TemplateNode:
		if r.parts == maxDepth {
			r.halted = true
			return
		}
		r.parts++
		arg := r.pipeline(n.Pipe, dot)
		outer := r.vars
		r.vars = []variable{{"$", arg}}
		r.list(r.set.parts[n.Name], arg)
		r.vars = outer
		r.parts--
	}
	r.vars = r.vars[:scope]
}

// loop repeats a block for the elements of a list, or for the members of an object in order of their names.
func (r *Run) loop(n *parse.RangeNode, dot any) {
	pipe := *n.Pipe
	pipe.Decl = nil // set here, for each element
	keys, values := r.elements(r.pipeline(&pipe, dot))
	if len(values) == 0 {
		r.list(n.ElseList, dot)
		return
	}
	scope := len(r.vars)
	for i, v := range values {
		if !r.Spend(1) {
			return
		}
		switch decl := n.Pipe.Decl; len(decl) {
		case 1:
			r.declare(decl[0].Ident[0], v, n.Pipe.IsAssign)
		case 2:
			r.declare(decl[0].Ident[0], keys(i), n.Pipe.IsAssign)
			r.declare(decl[1].Ident[0], v, n.Pipe.IsAssign)
		}
		r.list(n.List, v)
		r.vars = r.vars[:scope]
	}
}

func (r *Run) declare(name string, value any, assign bool) {
	if assign {
		for i := range slices.Backward(r.vars) {
			if r.vars[i].name == name {
				r.vars[i].value = value
				return
			}
		}
	}
	r.vars = append(r.vars, variable{name, value})
}

func (r *Run) pipeline(p *parse.PipeNode, dot any) any {
	if p == nil {
		return nil
	}
	var v any
	for i, c := range p.Cmds {
		if !r.Spend(1) {
			return nil
		}
		v = r.command(c, dot, v, i > 0)
	}
	for _, d := range p.Decl {
		r.declare(d.Ident[0], v, p.IsAssign)
	}
	return v
}

func (r *Run) command(c *parse.CommandNode, dot, last any, piped bool) any {
	name, call := c.Args[0].(*parse.IdentifierNode)
	if !call {
		return r.operand(c.Args[0], dot)
	}
	args := make([]any, 0, len(c.Args))
	for _, a := range c.Args[1:] {
		args = append(args, r.operand(a, dot))
	}
	if piped {
		args = append(args, last)
	}
	if r.halted {
		return nil
	}
	return r.set.Funcs[name.Ident].Call(r, args)
}

func (r *Run) operand(n parse.Node, dot any) any {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return r.Path(dot, n.Ident)
	case *parse.VariableNode:
		for _, v := range slices.Backward(r.vars) {
			if v.name == n.Ident[0] {
				return r.Path(v.value, n.Ident[1:])
			}
		}
	case *parse.ChainNode:
		return r.Path(r.operand(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return r.pipeline(n, dot)
	case *parse.IdentifierNode:
		return r.set.Funcs[n.Ident].Call(r, nil)
	case *parse.StringNode:
		return Markdown(n.Text) // belongs to the template
	case *parse.NumberNode:
		return number(n)
	case *parse.BoolNode:
		return n.True
	}
	return nil
}

// insert writes a value.
func (r *Run) insert(v any) {
	if md, ok := v.(Markdown); ok {
		r.write(string(md))
		return
	}
	if r.halted {
		return
	}
	r.write(r.Escape(v))
}

// Escape returns a value as it is inserted at the current position.
func (r *Run) Escape(v any) string {
	text := r.Text(v)
	if r.mode == Plain {
		return text
	}
	out := r.out.String()
	return r.set.Escape(text, out == "" || strings.HasSuffix(out, "\n"), r.mode == Lines)
}

func (r *Run) write(text string) {
	if r.halted {
		return
	}
	if len(text) > maxOutput-r.out.Len() {
		text, r.halted = cut(text, maxOutput-r.out.Len()), true
	}
	r.out.WriteString(text)
}
