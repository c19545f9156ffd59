package narrow

import (
	"testing"

	"github.com/stoachat/stoa/domain/message"
)

func TestEvents(t *testing.T) {
	v := view()
	den := Arrived{Recipient: message.OfChannel(10), Topic: "Lunch", Sender: anna, Flags: []string{"mentioned"}}
	direct := Arrived{Recipient: message.OfDirect(1), Sender: ben, Flags: []string{"read"}}
	for _, c := range []struct {
		raw         string
		den, direct bool
	}{
		{`[]`, true, true},
		{`[["stream","Den"]]`, true, false},
		{`[["channel","web"]]`, false, false},
		{`[["channel","den"],["topic","lunch"]]`, true, false},
		{`[["topic","x"]]`, false, false},
		{`[["sender","ANNA@x.org"]]`, true, false},
		{`[["is","dm"]]`, false, true},
		{`[["is","unread"]]`, true, false},
		{`[["is","mentioned"]]`, true, false},
		{`[["is","starred"]]`, false, false},
		{`[["is","resolved"]]`, false, false},
		{`[["is","followed"]]`, true, true},
	} {
		terms, err := Parse([]byte(c.raw))
		if err != nil {
			t.Fatalf("%s: %v", c.raw, err)
		}
		if Matches(v, terms, den) != c.den || Matches(v, terms, direct) != c.direct {
			t.Errorf("%s: channel %v, direct %v", c.raw, !c.den, !c.direct)
		}
	}
}

// Users who cannot see a sender match the messages by the sender's placeholder address, but not by guessing the real
// one.
func TestEventsFromHiddenSenders(t *testing.T) {
	v := view()
	for raw, want := range map[string]bool{
		`[["sender","anna@x.org"]]`: false, `[["sender","user1@x.org"]]`: true, `[{"operator":"sender","operand":1}]`: true,
		`[["sender","user2@x.org"]]`: false,
	} {
		terms, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := Matches(v, terms, Arrived{Recipient: message.OfChannel(10), Sender: anna, Stranger: true}); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}
