package scheduled

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Waiting is a query for the scheduled messages of a realm that have not been sent, at most Limit, in ascending order
// of ID. scheduled returns a []Message.
type Waiting struct {
	Realm realm.ID
	After ID // only messages with higher IDs
	Limit int
}

// Created is a hook event that runs in the commit that schedules a message, under the realm's lock. uploads claims the
// files in the content. An error rolls it back.
type Created struct {
	By      user.Actor
	Message Message
}

// Changed is a hook event that runs in the commit that changes a scheduled message, under the realm's lock. An error
// rolls it back.
type Changed struct {
	By       user.Actor
	Old, New Message
}

// Removed is a hook event that runs in the commit that removes scheduled messages, under the realm's lock: because
// their sender deleted them, their sender's profile was deleted, or they are being sent. In the last case it runs
// before message.Sent and must not refuse: an error fails the whole batch. Use few statements.
type Removed struct {
	Realm realm.ID
	IDs   []ID // ascending
	Sent  bool
}
