package message_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

func TestUnwanted(t *testing.T) {
	var b directory.Builder
	b.Channel(&channel.Channel{ID: 1})
	b.Channel(&channel.Channel{ID: 2, Private: true})
	b.Channel(&channel.Channel{ID: 3, WebPublic: true})
	b.Channel(&channel.Channel{ID: 4, Archived: true})
	b.Channel(&channel.Channel{ID: 5, Private: true, HistoryPublic: true, Archived: true})
	v := b.View(1)
	all := []message.Recipient{
		message.OfChannel(1), message.OfChannel(2), message.OfChannel(3), message.OfChannel(4), message.OfChannel(5),
		message.OfChannel(6), message.OfDirect(1),
	}
	for d, want := range map[user.Deletion][]bool{
		{}:                      {false, false, false, false, false, false, false},
		{Profile: true}:         {false, false, false, false, false, false, false},
		{PublicChannels: true}:  {true, false, true, true, false, false, false},
		{PrivateChannels: true}: {false, true, false, false, true, false, false},
		{DirectMessages: true}:  {false, false, false, false, false, false, true},
		{PublicChannels: true, PrivateChannels: true, DirectMessages: true}: {true, true, true, true, true, false, true},
	} {
		for i, r := range all {
			if got := message.IncludedInDeletion(v, d, r); got != want[i] {
				t.Errorf("%+v, conversation %d: %v", d, i, got)
			}
		}
	}
}
