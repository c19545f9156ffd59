package highlight

import "github.com/dlclark/regexp2/v2/syntax"

// Limits of an analysis.
const (
	maxItems  = 32
	maxGroups = 8
	maxFew    = 4 // characters that are listed faster than tested
)

// steps is a sequence of character classes with which all matches of an expression start. It can be followed without
// going back: each item takes as many characters as it can.
type steps struct {
	bol    bool // only at the start of a line
	items  []item
	groups [][2]int // the items [from, to) of each group
	whole  bool     // nothing follows: the items decide whether the expression matches

	loose bool // while analyzing: the last item might give back characters
}

// item matches min to max characters of a class.
type item struct {
	class
	min, max int
}

// class is a set of characters.
type class struct {
	ascii [2]uint64
	other func(rune) bool // for characters that are not ASCII
}

func (c *class) has(r rune) bool {
	if r < 128 {
		return c.ascii[r/64]&(1<<(r%64)) != 0
	}
	return c.other(r)
}

// newClass returns the class of a node for one character or a loop over one.
func newClass(n *syntax.RegexNode) class {
	switch n.T {
	case syntax.NtSet, syntax.NtSetloop, syntax.NtSetlazy, syntax.NtSetloopatomic:
		c := class{other: n.Set.CharIn}
		if few := n.Set.GetSetChars(maxFew); len(few) > 0 && !n.Set.IsNegated() { // letters, in any case
			for _, r := range few {
				c.add(r)
			}
			return c
		}
		for r := range rune(128) {
			if n.Set.CharIn(r) {
				c.add(r)
			}
		}
		return c
	case syntax.NtNotone, syntax.NtNotoneloop, syntax.NtNotonelazy, syntax.NtNotoneloopatomic:
		c := only(n.Ch)
		return class{[2]uint64{^c.ascii[0], ^c.ascii[1]}, func(r rune) bool { return r != n.Ch }}
	}
	return only(n.Ch)
}

// only returns the class of one character.
func only(r rune) class {
	c := class{other: func(other rune) bool { return other == r }}
	c.add(r)
	return c
}

func (c *class) add(r rune) {
	if r < 128 {
		c.ascii[r/64] |= 1 << (r % 64)
	}
}

// stepsOf analyzes an expression.
func stepsOf(tree *syntax.RegexTree) steps {
	var s steps
	root := tree.Root // the group of the whole match
	s.whole = len(root.Children) == 1 && s.add(root.Children[0]) && len(s.items) > 0 && tree.Captop == len(s.groups)+1
	if !s.whole { // the rest may be shorter if an item takes less
		for i, it := range s.items {
			if it.min < it.max {
				s.items[i].max = it.min
				s.items = s.items[:i+min(it.min, 1)]
				break
			}
		}
	}
	return s
}

// add appends a node, and reports whether the items added are equivalent to it.
func (s *steps) add(n *syntax.RegexNode) bool {
	if n.Options&(syntax.RightToLeft|syntax.IgnoreCase) != 0 {
		return false
	}
	switch n.T {
	case syntax.NtEmpty:
		return true
	case syntax.NtStart:
		return len(s.items) == 0 // \G, at which each match begins
	case syntax.NtBol:
		s.bol = s.bol || len(s.items) == 0
		return len(s.items) == 0
	case syntax.NtConcatenate:
		for _, child := range n.Children {
			if !s.add(child) {
				return false
			}
		}
		return true
	case syntax.NtGroup:
		return s.add(n.Children[0])
	case syntax.NtAtomic:
		loose := s.loose
		if !s.add(n.Children[0]) {
			return false
		}
		s.loose = loose
		return true
	case syntax.NtCapture:
		from := len(s.items)
		if !s.add(n.Children[0]) || len(s.groups) == maxGroups || n.M != len(s.groups)+1 || n.N != -1 {
			return false
		}
		s.groups = append(s.groups, [2]int{from, len(s.items)})
		return true
	case syntax.NtMulti:
		for _, r := range n.Str {
			if !s.item(only(r), 1, 1) {
				return false
			}
		}
		return true
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet:
		return s.item(newClass(n), 1, 1)
	case syntax.NtOneloopatomic, syntax.NtNotoneloopatomic, syntax.NtSetloopatomic:
		return s.item(newClass(n), n.M, n.N)
	case syntax.NtOneloop, syntax.NtNotoneloop, syntax.NtSetloop:
		if !s.item(newClass(n), n.M, n.N) {
			return false
		}
		s.loose = n.M < n.N
		return true
	}
	return false
}

func (s *steps) item(c class, least, most int) bool {
	if s.loose || len(s.items) == maxItems {
		return false
	}
	s.items = append(s.items, item{c, least, most})
	return true
}

// follow reports whether the text from a position has the items, and sets the positions before each and after the last.
func (s *steps) follow(text []rune, at int, places *[maxItems + 1]int) bool {
	if s.bol && at > 0 && text[at-1] != '\n' {
		return false
	}
	for i := range s.items {
		places[i] = at
		it := &s.items[i]
		end := len(text)
		if it.max < end-at {
			end = at + it.max
		}
		for at < end && it.has(text[at]) {
			at++
		}
		if at-places[i] < it.min {
			return false
		}
	}
	places[len(s.items)] = at
	return true
}

// texts returns the text of a match and of its groups.
func (s *steps) texts(text []rune, places *[maxItems + 1]int) []string {
	out := make([]string, 1+len(s.groups))
	out[0] = string(text[places[0]:places[len(s.items)]])
	for i, g := range s.groups {
		out[i+1] = string(text[places[g[0]]:places[g[1]]])
	}
	return out
}
