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

// told is somebody who has come, or hides; or it is people whom the receivers have come to know of.
type told struct {
	User user.ID `json:"user_id,omitempty"`
	presence.Seen
	At  float64      `json:"server_timestamp"`
	Met event.People `json:"met,omitempty"`

	rows map[user.ID]*row // of those met, read at delivery
}

var presenceEvent = kit.Event[told]("presence", "").Shape(show).Personal(hears).Own(own)

func announce(v *directory.View, u *user.User, t presence.Times, now time.Time) event.Event {
	return presenceEvent.To(v.Realm().ID, event.Seeing(u.ID), told{User: u.ID, Seen: t.Seen(u.Joined), At: seconds(now)})
}

// hears leaves out those who may not see the person any more, and everybody once people are no longer told of each
// other.
func hears(r event.Receiver, p *told) (any, bool) {
	u := r.Head.User(p.User)
	return nil, u != nil && u.Active && enabled(r.Head) && permission.Sees(r.Head, r.User, p.User)
}

// older is the event for clients without the capability simplified_presence_events.
type older struct {
	User     user.ID `json:"user_id"`
	Email    string  `json:"email,omitempty"`
	At       float64 `json:"server_timestamp"`
	Presence struct {
		Website website `json:"website"`
	} `json:"presence"`
}

// website is a person in the older format, as if at the only client that they have.
type website struct {
	Client string `json:"client"`
	presence.Summary
	Pushable bool `json:"pushable"`
}

func show(_ context.Context, v *directory.View, c event.Client, p *told) (any, bool) {
	if c.SimplifiedPresence {
		return map[string]any{"presences": map[string]presence.Seen{strconv.FormatInt(int64(p.User), 10): p.Seen}}, true
	}
	u := v.User(p.User)
	if u == nil {
		return nil, false
	}
	return olderOf(v, c, u, p.Seen, p.At), true
}

func olderOf(v *directory.View, c event.Client, u *user.User, t presence.Seen, at float64) older {
	e := older{User: u.ID, At: at}
	if !c.SlimPresence {
		e.Email = permission.APIEmail(v, u)
	}
	e.Presence.Website = website{"website", t.Summary(), false}
	return e
}

// seconds is a time as the answers carry it, beside those of people.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
