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

// channelSettings are the settings that name a channel.
var channelSettings = []string{
	"moderation_request_channel_id", "new_stream_announcements_stream_id", "signup_announcements_stream_id",
	"service_update_announcements_stream_id",
}

// hidesChannel tells whether a property of an event, whichever way it is spelt, names a channel that may be a private
// one: whoever may not know of it is told that the setting names none. The channel for reports always is private, and
// its id is told to all: clients let people report a message where there is one.
func hidesChannel(property string) bool {
	return strings.HasSuffix(property, "_announcements_stream_id")
}

// noChannel is what such a setting is when it names none.
const noChannel int64 = -1

// shownTo gives the value that such a setting has for a reader.
func shownTo(v *directory.View, reader *user.User, id int64) int64 {
	if permission.KnowsOf(v, v.Channel(channel.ID(id)), reader) {
		return id
	}
	return noChannel
}

// propertyShape leaves the value to channelFor where it names a channel.
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
	id, _ := p.Value.(float64) // numbers of the log, in which there is no other kind
	return struct {
		Value int64 `json:"value"`
	}{shownTo(r.Head, r.User, int64(id))}, true
}
