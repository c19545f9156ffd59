package scheduled

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Created is a hook event: it runs in the commit that schedules a message, under the realm's lock (uploads: claims the
// files that the content names). An error rolls it back.
type Created struct {
	By      user.Actor
	Message Message
}

// Changed is a hook event: it runs in the commit that changes a scheduled message, under the realm's lock. An error
// rolls it back.
type Changed struct {
	By       user.Actor
	Old, New Message
}

// Removed is a hook event: it runs in the commit that removes scheduled messages, under the realm's lock: because their
// sender has deleted them, or their profile was deleted, or because they are sent in that same commit. Then it runs
// before message.Sent. It must not refuse what is sent: an error fails all of them. Use few statements.
type Removed struct {
	Realm realm.ID
	IDs   []ID // ascending
	Sent  bool
}
