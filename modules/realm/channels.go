package realm

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// channelSettings lists the settings that name a channel.
var channelSettings = []string{
	"moderation_request_channel_id", "new_stream_announcements_stream_id", "signup_announcements_stream_id",
	"service_update_announcements_stream_id",
}

// hidesChannel reports whether an event's property, in either spelling, names a channel that may be private. Users who
// may not know of it see the setting without a channel. The channel for reports is always private, but everyone sees
// its ID, since clients offer reporting where the setting has one.
func hidesChannel(property string) bool {
	return strings.HasSuffix(property, "_announcements_stream_id")
}

// noChannel is the value of such a setting without a channel.
const noChannel int64 = -1

// shownTo returns the value of such a setting for a reader.
func shownTo(v *directory.View, reader *user.User, id int64) int64 {
	if permission.SeesChannel(v, v.Channel(channel.ID(id)), reader) {
		return id
	}
	return noChannel
}

// propertyShape leaves values that name a channel to channelFor.
func propertyShape(_ context.Context, _ *directory.View, _ event.Client, p *property) (any, bool) {
	if hidesChannel(p.Property) {
		return struct {
			Property string `json:"property"`
		}{p.Property}, true
	}
	return p, true
}

func channelFor(r event.Receiver, p *property) (any, bool) {
	if !hidesChannel(p.Property) {
		return nil, true
	}
	id, _ := p.Value.(float64) // numbers in the log are float64
	return struct {
		Value int64 `json:"value"`
	}{shownTo(r.Head, r.User, int64(id))}, true
}
