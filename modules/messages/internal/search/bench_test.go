package search

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkMatcher looks for 49 words in a message of 10,000 characters.
func BenchmarkMatcher(b *testing.B) {
	text := strings.Repeat("so many words that nobody reads them all ", 240)
	var words strings.Builder
	for i := range 49 {
		fmt.Fprintf(&words, "unheard%d ", i)
	}
	q, err := Parse(words.String())
	if err != nil {
		b.Fatal(err)
	}
	m := NewMatcher(Query{}, q)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Matches(text, "topic")
	}
}
