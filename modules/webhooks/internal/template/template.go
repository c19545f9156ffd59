// Package template writes texts from decoded JSON. Templates have the syntax of text/template and are parsed by its
// parser, but this package executes them: templates and data come from strangers, so that each execution has a limited
// number of steps and a limited output, and reads nothing but the data. It never fails: missing fields are empty, and
// a template that reaches a limit ends there.
//
// Values are those of encoding/json: nil, bool, string, json.Number, []any and map[string]any. Inserted values are
// escaped by the set's Escape, unless a function returned them as Markdown or they are literals of the template.
package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"text/template/parse"
)

const (
	// MaxSize is the maximum size of a template, in bytes.
	MaxSize = 10_000
	// MaxValue is how much of a value is read, in bytes.
	MaxValue = 16 << 10
)

const (
	maxSteps  = 20_000
	maxDepth  = 8        // nesting of parts
	maxNodes  = 50       // nesting of blocks, pipelines and values
	maxOutput = 64 << 10 // bytes
	perStep   = 64       // bytes of a value that cost one step
)

// Markdown is a text that is inserted as it is.
type Markdown string

// Func is a function of templates.
type Func struct {
	Min, Max int // number of arguments; Max -1: any number
	Call     func(r *Run, args []any) any
}

// Set holds what templates have in common.
type Set struct {
	Funcs  map[string]Func
	Escape func(text string, lineStart, lines bool) string // lines: keep the lines of the text
	parts  map[string]*parse.ListNode
}

// Template is a compiled template.
type Template struct {
	set  *Set
	root *parse.ListNode
}

// Define sets the parts that templates of the set insert with {{template "name" .}}. They may insert each other.
func (s *Set) Define(parts map[string]string) error {
	s.parts = map[string]*parse.ListNode{}
	for name := range parts {
		s.parts[name] = nil
	}
	for name, text := range parts {
		t, err := s.Compile(text)
		if err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		s.parts[name] = t.root
	}
	return nil
}

// Compile parses a template and checks everything that does not depend on the data.
func (s *Set) Compile(text string) (*Template, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("longer than %d bytes", MaxSize)
	}
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		return nil, err
	}
	if len(trees) > 1 || len(trees) == 1 && trees["template"] == nil {
		return nil, errors.New("templates cannot define templates")
	}
	if err := s.check(tree.Root, 0); err != nil {
		return nil, err
	}
	return &Template{s, tree.Root}, nil
}

// check refuses nodes that cannot be executed.
func (s *Set) check(n parse.Node, depth int) error {
	if depth > maxNodes {
		return errors.New("nested too deeply")
	}
	depth++
	all := func(nodes ...parse.Node) error {
		var errs []error
		for _, n := range nodes {
			errs = append(errs, s.check(n, depth))
		}
		return errors.Join(errs...)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		return all(n.Nodes...)
	case *parse.ActionNode:
		return all(n.Pipe)
	case *parse.IfNode:
		return all(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		return all(n.Pipe, n.List, n.ElseList)
	case *parse.RangeNode:
		return all(n.Pipe, n.List, n.ElseList)
	case *parse.TemplateNode:
		if _, ok := s.parts[n.Name]; !ok {
			return fmt.Errorf("line %d: there is no part %q", n.Line, n.Name)
		}
		return all(n.Pipe)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		for i, c := range n.Cmds {
			if err := s.checkCommand(c, i > 0, depth); err != nil {
				return fmt.Errorf("line %d: %w", n.Line, err)
			}
		}
	case *parse.ChainNode:
		return all(n.Node)
	case *parse.NumberNode:
		if !n.IsInt && !n.IsFloat {
			return fmt.Errorf("%s is not a number", n.Text)
		}
	case *parse.TextNode, *parse.CommentNode, *parse.FieldNode, *parse.VariableNode, *parse.DotNode, *parse.NilNode,
		*parse.BoolNode, *parse.StringNode:
	default:
		return fmt.Errorf("%s is not supported", n)
	}
	return nil
}

// checkCommand checks a command of a pipeline, which has one argument more if it is piped to.
func (s *Set) checkCommand(c *parse.CommandNode, piped bool, depth int) error {
	args := len(c.Args) - 1
	if piped {
		args++
	}
	if name, ok := c.Args[0].(*parse.IdentifierNode); ok {
		f, known := s.Funcs[name.Ident]
		switch {
		case !known:
			return fmt.Errorf("there is no function %q", name.Ident)
		case args < f.Min || f.Max >= 0 && args > f.Max:
			return fmt.Errorf("%s: wrong number of arguments", name.Ident)
		}
	} else if args > 0 {
		return fmt.Errorf("%s is not a function", c.Args[0])
	} else if err := s.check(c.Args[0], depth); err != nil {
		return err
	}
	for _, a := range c.Args[1:] {
		if name, ok := a.(*parse.IdentifierNode); ok { // called without arguments
			if f, known := s.Funcs[name.Ident]; !known || f.Min > 0 {
				return fmt.Errorf("%q must be a call in parentheses", name.Ident)
			}
			continue
		}
		if err := s.check(a, depth); err != nil {
			return err
		}
	}
	return nil
}

// number returns the value of a number in a template.
func number(n *parse.NumberNode) any {
	if n.IsInt {
		return json.Number(strconv.FormatInt(n.Int64, 10))
	}
	return json.Number(strconv.FormatFloat(n.Float64, 'f', -1, 64))
}
