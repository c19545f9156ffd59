// Package typing describes typing notifications.
package typing

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Expiry is the time after which clients assume that typing has stopped
// (server_typing_started_expiry_period_milliseconds).
const Expiry = 45 * time.Second

// MaxPeople is the largest number of channel subscribers, or of participants in a direct conversation, for which
// notifications are sent.
const MaxPeople = 100

// Request holds the parameters of POST /typing. Those of the other conversation type are ignored.
type Request struct {
	Type    string  `json:"type" default:"direct" enum:"direct,stream,channel"`
	Op      string  `json:"op" enum:"start,stop"`
	To      *string `json:"to" forms:"array of integer" lenient:"true"`
	Channel *string `json:"stream_id" forms:"integer" lenient:"true"`
	Topic   *string `json:"topic"`
}

// Size returns the approximate size of the request in bytes.
func (r Request) Size() int {
	size := 256
	for _, text := range []*string{r.To, r.Channel, r.Topic} {
		if text != nil {
			size += len(*text)
		}
	}
	return size
}

// Notice is a notification and its receivers.
type Notice struct {
	People    user.Set // all participants of a direct conversation including the user; nil: a channel
	Channel   channel.ID
	Topic     string
	Receivers user.Set
}

// New validates a request of u. Errors: BadRequest.
func New(v *directory.View, u *user.User, in Request) (Notice, error) {
	if in.Op != "start" && in.Op != "stop" {
		return Notice{}, errs.Bad("Invalid op")
	}
	switch in.Type {
	case "direct":
		return direct(v, u, in)
	case "stream", "channel":
		return inChannel(v, u, in)
	}
	return Notice{}, errs.Bad("Invalid type")
}

func direct(v *directory.View, u *user.User, in Request) (Notice, error) {
	if !given(in.To) {
		return Notice{}, errs.New(errs.Missing, "Missing 'to' argument").With("var_name", "to")
	}
	to, err := people(*in.To)
	switch {
	case err != nil:
		return Notice{}, err
	case len(to) == 0:
		return Notice{}, errs.Bad("Empty 'to' list")
	case len(to) > message.MaxRecipients:
		return Notice{}, tooMany()
	case !u.Settings.SendPrivateTypingNotifications:
		return Notice{}, errs.Bad("User has disabled typing notifications for direct messages")
	}
	for _, id := range to {
		if !permission.Sees(v, u, id) {
			return Notice{}, errs.Bad("Invalid user ID %d", id)
		}
	}
	n := Notice{People: idset.Of(append(to, u.ID)...)}
	if len(n.People) <= MaxPeople {
		n.Receivers = receivers(v, n.People, n.People)
	}
	return n, nil
}

// maxTo is the maximum length of the parameter to in bytes, enough for the maximum number of IDs with spaces.
const maxTo = message.MaxRecipients * 32

// people parses a list of IDs, or a single ID as some clients send. Errors: BadRequest.
func people(to string) ([]user.ID, error) {
	var one user.ID
	var all []user.ID
	switch raw := []byte(to); {
	case len(raw) > maxTo:
		return nil, tooMany()
	case !json.Valid(raw):
		return nil, errs.Bad(`Argument "to" is not valid JSON.`)
	case json.Unmarshal(raw, &one) == nil:
		return []user.ID{one}, nil
	case json.Unmarshal(raw, &all) != nil:
		return nil, errs.Bad("to is not an integer")
	}
	return all, nil
}

func tooMany() error { return errs.Bad("Too many recipients (maximum %d)", message.MaxRecipients) }

// given reports whether a parameter is present and not null.
func given(text *string) bool { return text != nil && strings.TrimSpace(*text) != "null" }

func inChannel(v *directory.View, u *user.User, in Request) (Notice, error) {
	switch {
	case !given(in.Channel):
		return Notice{}, errs.Bad("Missing stream_id")
	case in.Topic == nil:
		return Notice{}, errs.Bad("Missing topic")
	case !u.Settings.SendStreamTypingNotifications:
		return Notice{}, errs.Bad("User has disabled typing notifications for channel messages")
	}
	id, err := strconv.ParseInt(strings.TrimSpace(*in.Channel), 10, 64)
	if err != nil {
		return Notice{}, errs.Bad("stream_id is not an integer")
	}
	c := v.Channel(channel.ID(id))
	if c == nil || c.Archived || !permission.Reads(v, c, u) {
		return Notice{}, channel.Invalid()
	}
	if err := message.CheckPost(v, u, c); err != nil {
		return Notice{}, err
	}
	name, err := topic.Clean(*in.Topic)
	if err != nil {
		return Notice{}, err
	}
	n := Notice{Channel: c.ID, Topic: name}
	if all := v.Subscribers(c.ID); len(all) <= MaxPeople {
		n.Receivers = receivers(v, all, user.Set{u.ID})
	}
	return n, nil
}

// receivers returns the active users in all who want typing notifications and can see all users in named.
func receivers(v *directory.View, all, named user.Set) user.Set {
	var out user.Set
	for _, id := range all {
		u := v.User(id)
		if u == nil || !u.Active || !u.Settings.ReceivesTypingNotifications {
			continue
		}
		if !slices.ContainsFunc(named, func(other user.ID) bool { return !permission.Sees(v, u, other) }) {
			out = append(out, id)
		}
	}
	return out
}
