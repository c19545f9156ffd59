package presence

import (
	"context"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// payload describes a user who has come online or changed the visibility of their presence, or the users that the
// receivers have gained access to.
type payload struct {
	User user.ID `json:"user_id,omitempty"`
	presence.Seen
	At     float64      `json:"server_timestamp"`
	Gained event.People `json:"met,omitempty"`

	rows map[user.ID]*row // rows of the users in Gained, read at delivery
}

var presenceEvent = kit.Event[payload]("presence", "").Shape(shape).Personal(filterReceiver).
	PerReceiver(receiverEvents).
	Sends(simpleEvent{}, legacyEvent{})

func announce(v *directory.View, u *user.User, t presence.Times, now time.Time) event.Event {
	return presenceEvent.To(v.Realm().ID, event.Seeing(u.ID),
		payload{User: u.ID, Seen: t.Seen(u.Joined), At: seconds(now)})
}

// filterReceiver excludes receivers who have lost access to the user, and all receivers once the realm has disabled
// presence.
func filterReceiver(r event.Receiver, p *payload) (any, bool) {
	u := r.Head.User(p.User)
	return nil, u != nil && u.Active && enabled(r.Head) && permission.Sees(r.Head, r.User, p.User)
}

// simpleEvent is the event for clients with the capability simplified_presence_events.
type simpleEvent struct {
	Presences map[string]presence.Seen `json:"presences"`
}

// legacyEvent is the event for clients without the capability simplified_presence_events.
type legacyEvent struct {
	User     user.ID `json:"user_id"`
	Email    string  `json:"email,omitempty"`
	At       float64 `json:"server_timestamp"`
	Presence struct {
		Website website `json:"website"`
	} `json:"presence"`
}

// website is the only client listed per user in the older format.
type website struct {
	Client string `json:"client"`
	presence.Summary
	Pushable bool `json:"pushable"`
}

func shape(_ context.Context, v *directory.View, c event.Client, p *payload) (any, bool) {
	if c.SimplifiedPresence {
		return simpleEvent{map[string]presence.Seen{strconv.FormatInt(int64(p.User), 10): p.Seen}}, true
	}
	u := v.User(p.User)
	if u == nil {
		return nil, false
	}
	return legacyEventOf(v, c, u, p.Seen, p.At), true
}

func legacyEventOf(v *directory.View, c event.Client, u *user.User, t presence.Seen, at float64) legacyEvent {
	e := legacyEvent{User: u.ID, At: at}
	if !c.SlimPresence {
		e.Email = permission.APIEmail(v, u)
	}
	e.Presence.Website = website{"website", t.Summary(), false}
	return e
}

// seconds returns a time as fractional Unix seconds. Users' times are whole seconds.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
