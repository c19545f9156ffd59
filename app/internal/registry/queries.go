package registry

import (
	"fmt"
	"reflect"

	"github.com/stoachat/stoa/modules/kit"
)

// queries checks that each type of question has a single type of answer, and that only questions asked with
// kit.QueryAll have several answers.
func (c *checker) queries(all []kit.Contribution) {
	single := map[reflect.Type]bool{}
	for _, m := range all {
		for _, a := range m.Queries {
			single[a.Question] = single[a.Question] || !a.All
		}
	}
	types, first := map[reflect.Type]kit.QueryInfo{}, map[reflect.Type]string{}
	agree := func(a kit.QueryInfo) {
		if was, ok := types[a.Question]; ok && was.Answer != a.Answer {
			c.problem(fmt.Sprintf("has %v as the answer to %v, another module %v", a.Answer, a.Question, was.Answer))
		}
		types[a.Question] = a
	}
	for _, m := range all {
		c.module = "module " + m.Module
		for _, a := range m.Queries {
			agree(a)
		}
		for _, a := range m.Parts.Answers {
			if a.Empty() {
				c.problem("has an empty answer; create it with kit.Answers")
				continue
			}
			agree(kit.QueryInfo{Question: a.Question, Answer: a.Type})
			if other, twice := first[a.Question]; twice && single[a.Question] {
				c.problem(fmt.Sprintf("answers %v, as does %s; keep one", a.Question, other))
			}
			first[a.Question] = c.module
		}
	}
}
