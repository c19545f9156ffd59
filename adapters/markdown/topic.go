package markdown

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/markdown"
)

// topicMatch is a link within a topic, and its position.
type topicMatch struct {
	start, end int
	markdown.TopicLink
}

// TopicLinks implements ports.Renderer. It matches linkifiers in order, and then addresses.
func (e *engine) TopicLinks(v *directory.View, topic string) []markdown.TopicLink {
	var all []topicMatch
	p := &parsing{engine: e, view: v, budget: linkifier.Work(len(topic))}
	if v != nil {
		for _, l := range linkifier.In(v).All() {
			for _, m := range l.Find(topic, true, &p.budget) {
				url, ok := p.target(m.URL)
				all = p.add(all, topic, m.Start, m.End, url, ok)
			}
		}
	}
	if e.domains.likely(topic) {
		all = p.topicAddresses(all, topic)
	}
	slices.SortFunc(all, func(a, b topicMatch) int { return cmp.Compare(a.start, b.start) })
	out := make([]markdown.TopicLink, len(all))
	for i, m := range all {
		out[i] = m.TopicLink
	}
	return out
}

// topicAddresses adds words that are addresses, without any punctuation after them.
func (p *parsing) topicAddresses(all []topicMatch, topic string) []topicMatch {
	for start := 0; start < len(topic); {
		n := strings.IndexAny(topic[start:], " !;),'\"")
		if n < 0 {
			n = len(topic) - start
		}
		word := topic[start : start+n]
		size := p.domains.address(word)
		if size == 0 && strings.IndexByte(word, '(') >= 0 { // the word ends at a closing parenthesis
			size = p.domains.address(topic[start:])
			n = max(n, size)
		}
		if size > 0 {
			url := topic[start : start+size]
			if scheme(url) == "" && !mailbox(url) {
				url = "https://" + url
			}
			url, ok := p.target(url)
			all = p.add(all, topic, start, start+size, url, ok)
		}
		start += n + 1
	}
	return all
}

// add adds a link unless it is not allowed or overlaps another.
func (p *parsing) add(all []topicMatch, topic string, start, end int, url string, ok bool) []topicMatch {
	if !ok || url == "" || slices.ContainsFunc(all, func(m topicMatch) bool { return m.start < end && start < m.end }) {
		return all
	}
	return append(all, topicMatch{start, end, markdown.TopicLink{Text: topic[start:end], URL: url}})
}
