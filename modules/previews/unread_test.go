package previews_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestUnreadImages finds an unread message by what it shows only since its preview is known.
func TestUnreadImages(t *testing.T) {
	s, _ := open(t)
	film := post(s, "alice", "https://vimeo.com/12")
	first := func(narrow string) int64 {
		return s.As("bob").Do("GET /messages", "anchor", "oldest", "num_before", "0", "num_after", "1",
			"narrow", narrow).OK().Int("anchor")
	}
	const images = `[["is","unread"],["has","image"]]`
	kittest.Equal(t, "without a preview", first(images) == film, false)
	read(s)
	kittest.Equal(t, "with a preview", first(images), film)
}
