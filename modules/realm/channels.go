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

// channelSettings lists the settings whose values are channels.
var channelSettings = []string{
	"moderation_request_channel_id", "new_stream_announcements_stream_id", "signup_announcements_stream_id",
	"service_update_announcements_stream_id",
}

// hidesChannel reports whether the value of a setting must be hidden from users who cannot see the channel. property is
// any of the setting's names, with or without the prefix realm_. The channel for reports is always private, but
// everyone gets its ID, because clients offer reporting only if it is set.
func hidesChannel(property string) bool {
	return strings.HasSuffix(property, "_announcements_stream_id")
}

// noChannel is the value of an unset setting in channelSettings.
const noChannel int64 = -1

// visibleChannel returns a channel's ID if the reader can see the channel, and noChannel otherwise.
func visibleChannel(v *directory.View, reader *user.User, id int64) int64 {
	if permission.SeesChannel(v, v.Channel(channel.ID(id)), reader) {
		return id
	}
	return noChannel
}

// propertyShape omits values that channelFor adds per receiver.
func propertyShape(_ context.Context, _ *directory.View, _ event.Client, p *property) (any, bool) {
	if hidesChannel(p.Property) {
		return struct {
			Property string `json:"property"`
		}{p.Property}, true
	}
	return p, true
}

// channelFor adds the value that propertyShape has omitted, as the receiver can see it.
func channelFor(r event.Receiver, p *property) (any, bool) {
	if !hidesChannel(p.Property) {
		return nil, true
	}
	id, _ := p.Value.(float64) // numbers decoded from the log are float64
	return struct {
		Value int64 `json:"value"`
	}{visibleChannel(r.Head, r.User, int64(id))}, true
}
