package markdown

import (
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/markdown"
)

// TopicLinks implements ports.Renderer (markdown.md §14). The realm's linkifiers would come first.
func (e *engine) TopicLinks(_ *directory.View, topic string) []markdown.TopicLink {
	out := []markdown.TopicLink{}
	if !e.domains.likely(topic) {
		return out
	}
	p := &parsing{engine: e}
	for _, word := range strings.FieldsFunc(topic, func(r rune) bool { return strings.ContainsRune(" !;),'\"", r) }) {
		if e.domains.address(word) != len(word) {
			continue
		}
		url := word
		if scheme(word) == "" && !mailbox(word) {
			url = "https://" + word
		}
		if url, ok := p.target(url); ok && url != "" {
			out = append(out, markdown.TopicLink{Text: word, URL: url})
		}
	}
	return out
}
