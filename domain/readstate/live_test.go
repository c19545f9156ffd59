package readstate_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// LiveFrom agrees with Live for all messages of a conversation.
func TestLiveFrom(t *testing.T) {
	at := message.OfChannel(7)
	closed := readstate.Period{Recipient: at, FromMsg: 2, FromSeq: 20, ToMsg: 4, ToSeq: 40}
	open := readstate.Period{Recipient: at, FromMsg: 6, FromSeq: 60}
	other := readstate.Period{Recipient: message.OfChannel(8), FromMsg: 1, FromSeq: 10}
	for name, c := range map[string]struct {
		own   readstate.Inbox
		in    message.Recipient
		first message.ID // first live message; 0: none
	}{
		"never subscribed":     {readstate.Inbox{}, at, 0},
		"subscribed elsewhere": {readstate.Inbox{Periods: []readstate.Period{other}}, at, 0},
		"subscribed":           {readstate.Inbox{Periods: []readstate.Period{open, other}}, at, 7},
		"subscribed again":     {readstate.Inbox{Periods: []readstate.Period{closed, open}}, at, 7},
		"no more subscribed":   {readstate.Inbox{Periods: []readstate.Period{closed, other}}, at, 0},
		"in a direct conversation": {readstate.Inbox{Direct: []message.Recipient{message.OfDirect(1)}}, message.OfDirect(1),
			1},
		"not in a direct one": {readstate.Inbox{Direct: []message.Recipient{message.OfDirect(1)}}, message.OfDirect(2), 0},
	} {
		from, any := c.own.LiveFrom(c.in)
		for id := message.ID(1); id < 10; id++ {
			want := c.first != 0 && id >= c.first
			if live := c.own.Live(readstate.Message{ID: id, Recipient: c.in}); live != want {
				t.Errorf("%s: message %d is live: %v", name, id, live)
			}
			if got := any && id >= from; got != want {
				t.Errorf("%s: from %d on, %v, but message %d is live: %v", name, from, any, id, want)
			}
		}
	}
}
