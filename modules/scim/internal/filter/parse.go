package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Limits of a filter.
const (
	MaxLength = 4096 // bytes
	maxDepth  = 16   // nested brackets
	maxTerms  = 64   // comparisons
)

// Expression is a parsed filter: a Comparison, Both, Either, Not or Within.
type Expression interface{ expression() }

// Comparison compares an attribute.
type Comparison struct {
	Path  string // attribute, with the URN of its schema and a sub-attribute if given
	Op    string // eq, ne, co, sw, ew, gt, ge, lt, le or pr
	Value any    // string, bool, float64 or nil
}

// Both is true if both sides are.
type Both struct{ Left, Right Expression }

// Either is true if one side is.
type Either struct{ Left, Right Expression }

// Not negates.
type Not struct{ Of Expression }

// Within is true if a value of a multi-valued attribute fulfills all of a filter.
type Within struct {
	Path string
	Of   Expression
}

func (Comparison) expression() {}
func (Both) expression()       {}
func (Either) expression()     {}
func (Not) expression()        {}
func (Within) expression()     {}

type parser struct {
	text  string
	at    int
	depth int
	terms int
}

// Parse parses a filter; see RFC 7644, section 3.4.2.2.
func Parse(text string) (Expression, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("the filter is longer than %d bytes", MaxLength)
	}
	p := &parser{text: text}
	e, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.spaces(); p.at < len(p.text) {
		return nil, p.fail("expected the end")
	}
	return e, nil
}

func (p *parser) fail(what string) error {
	return fmt.Errorf("%s at position %d of the filter", what, p.at+1)
}

func (p *parser) spaces() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// word consumes a keyword, whose case does not matter.
func (p *parser) word(w string) bool {
	p.spaces()
	end := p.at + len(w)
	if end > len(p.text) || !strings.EqualFold(p.text[p.at:end], w) || end < len(p.text) && isName(p.text[end]) {
		return false
	}
	p.at = end
	return true
}

// symbol consumes a character.
func (p *parser) symbol(c byte) bool {
	p.spaces()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) either() (Expression, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("the filter has more than %d nested brackets", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.both()
	for err == nil && p.word("or") {
		var right Expression
		right, err = p.both()
		left = Either{left, right}
	}
	return left, err
}

func (p *parser) both() (Expression, error) {
	left, err := p.term()
	for err == nil && p.word("and") {
		var right Expression
		right, err = p.term()
		left = Both{left, right}
	}
	return left, err
}

func (p *parser) term() (Expression, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, fmt.Errorf("the filter has more than %d terms", maxTerms)
	}
	if p.word("not") {
		if !p.symbol('(') {
			return nil, p.fail("expected (")
		}
		e, err := p.enclosed(')')
		return Not{e}, err
	}
	if p.symbol('(') {
		return p.enclosed(')')
	}
	path, err := p.path()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) && p.text[p.at] == '[' {
		p.at++
		e, err := p.enclosed(']')
		return Within{path, e}, err
	}
	return p.comparison(path)
}

func (p *parser) enclosed(end byte) (Expression, error) {
	e, err := p.either()
	if err == nil && !p.symbol(end) {
		err = p.fail("expected " + string(end))
	}
	return e, err
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-$.:", c) >= 0
}

func (p *parser) path() (string, error) {
	p.spaces()
	start := p.at
	for p.at < len(p.text) && isName(p.text[p.at]) {
		p.at++
	}
	if p.at == start {
		return "", p.fail("expected an attribute")
	}
	return p.text[start:p.at], nil
}

var operators = []string{"eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"}

func (p *parser) comparison(path string) (Expression, error) {
	if p.word("pr") {
		return Comparison{Path: path, Op: "pr"}, nil
	}
	for _, op := range operators {
		if p.word(op) {
			v, err := p.value()
			return Comparison{path, op, v}, err
		}
	}
	return nil, p.fail("expected an operator")
}

func (p *parser) value() (any, error) {
	p.spaces()
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.quoted()
	}
	switch {
	case p.word("true"):
		return true, nil
	case p.word("false"):
		return false, nil
	case p.word("null"):
		return nil, nil
	}
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	n, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil {
		p.at = start
		return nil, p.fail("expected a value")
	}
	return n, nil
}

// quoted parses a JSON string.
func (p *parser) quoted() (string, error) {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			return unquote(p.text[start:p.at])
		}
	}
	return "", errors.New("a string in the filter does not end")
}
