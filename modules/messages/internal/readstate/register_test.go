package readstate

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// Messages in muted channels and topics are listed, but count neither as unread nor as wildcard mentions.
func TestMutedPlaces(t *testing.T) {
	muting := readstate.Muting{
		Channels: channel.Set{2},
		Topics:   map[readstate.Topic]bool{{Channel: 2, Key: "seen"}: false, {Channel: 1, Key: "quiet"}: true},
	}
	one, two := message.OfChannel(1), message.OfChannel(2)
	all := selectAll([]fact{
		{ID: 1, Recipient: one, Topic: "x", Facts: message.ChannelWildcard},
		{ID: 2, Recipient: one, Topic: "Quiet", Facts: message.ChannelWildcard},
		{ID: 3, Recipient: two, Topic: "x", Facts: message.ChannelWildcard},
		{ID: 4, Recipient: two, Topic: "Seen", Facts: message.ChannelWildcard},
		{ID: 5, Recipient: two, Topic: "x"}, // by name
		{ID: 6, Recipient: two, Topic: "x"}, // by topic wildcard
		{ID: 7, Recipient: one, Topic: "x"}, // by topic wildcard
		{ID: 8, Recipient: message.OfDirect(1), Facts: message.ChannelWildcard},
	})
	own := &readstate.Inbox{Periods: []readstate.Period{{Recipient: one}, {Recipient: two}},
		Direct: []message.Recipient{message.OfDirect(1)}}
	var out unreadMsgs
	out.mentions(own, all, map[message.ID]message.Flag{5: message.Mentioned},
		map[message.ID]message.Flag{6: message.TopicWildcard, 7: message.TopicWildcard}, &muting)
	if want := []message.ID{1, 2, 3, 4, 6, 7, 8}; !slices.Equal(out.Wildcards, want) {
		t.Errorf("wildcard mentions %v, want %v", out.Wildcards, want)
	}
	if want := []message.ID{1, 4, 5, 7, 8}; !slices.Equal(out.Mentions, want) {
		t.Errorf("mentions %v, want %v", out.Mentions, want)
	}
	out.streams(all, &muting, true)
	if out.Count != 3 || len(out.Streams) != 4 {
		t.Errorf("count %d, streams %+v", out.Count, out.Streams)
	}
}
