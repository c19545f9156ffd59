package message

import (
	"strings"
	"testing"
)

func TestSubmessageLimits(t *testing.T) {
	first := &Submessage{Content: "{}"}
	vote, option := strings.Repeat("v", smallSubmessage), strings.Repeat("o", smallSubmessage+1)
	of := func(count, bytes int) SubmessageTotal { return SubmessageTotal{Count: count, Bytes: bytes} }
	for _, c := range []struct {
		name     string
		all      Submessages
		content  string
		replaced int
		ok       bool
	}{
		{"the first one, which has no share", Submessages{}, strings.Repeat("x", maxSubmessage*4), 0, true},
		{"the last one", Submessages{First: first, All: of(MaxSubmessages-1, 0)}, vote, 0, true},
		{"one too many", Submessages{First: first, All: of(MaxSubmessages, 0)}, vote, 0, false},
		{"one too many, which replaces one", Submessages{First: first, All: of(MaxSubmessages, 0)}, vote, 1, true},
		{"an option in the last fifth", Submessages{First: first, All: of(9, maxLargeBytes)}, option, 0, false},
		{"a vote in the last fifth", Submessages{First: first, All: of(9, maxLargeBytes)}, vote, 0, true},
		{"a vote too many", Submessages{First: first, All: of(9, MaxSubmessageBytes)}, vote, 0, false},
		{"the last own one", Submessages{First: first, Own: of(MaxOwnSubmessages-1, 0)}, vote, 0, true},
		{"one own one too many", Submessages{First: first, Own: of(MaxOwnSubmessages, 0)}, vote, 0, false},
		{"own ones too large", Submessages{First: first, Own: of(2, MaxOwnSubmessageBytes)}, vote, 0, false},
		{"own ones too large, one replaced", Submessages{First: first, Own: of(2, MaxOwnSubmessageBytes)}, vote, 1, true},
	} {
		replaced := make([]Submessage, c.replaced)
		for i := range replaced {
			replaced[i].Content = vote
		}
		if err := c.all.Admit(c.content, replaced); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
