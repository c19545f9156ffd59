package scheduled

import (
	"encoding/json"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// maxTo is the maximum length of the parameter to in bytes, enough for 250 user IDs.
const maxTo = message.MaxRecipients * 22

// ToChannel reports whether a message type on the wire means channel messages. Errors: BadRequest.
func ToChannel(kind string) (bool, error) {
	switch kind {
	case "channel", "stream":
		return true, nil
	case "direct", "private":
		return false, nil
	}
	return false, errs.Bad("Invalid type")
}

// ParseChannel parses the parameter to of a channel message: a channel ID, or a list of one. Errors: BadRequest.
func ParseChannel(to string) (channel.ID, error) {
	raw := json.RawMessage(strings.TrimSpace(to))
	var list []json.RawMessage
	if len(raw) <= maxTo && len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		if len(list) != 1 {
			return 0, errs.Bad("Expected exactly one channel")
		}
		raw = list[0]
	}
	var id *channel.ID
	if len(raw) > maxTo || json.Unmarshal(raw, &id) != nil || id == nil {
		return 0, errs.Bad("Invalid data type for channel ID")
	}
	return *id, nil
}

// ParsePeople parses the parameter to of a direct message, a list of user IDs, and returns the recipients other than
// the sender, or the sender alone. Errors: BadRequest.
func ParsePeople(v *directory.View, sender *user.User, to string) (user.Set, error) {
	var list []*user.ID
	if len(to) > maxTo || json.Unmarshal([]byte(to), &list) != nil || list == nil {
		return nil, errs.Bad("Invalid data type for recipients")
	}
	if len(list) > message.MaxRecipients {
		return nil, errs.Bad("Too many recipients (maximum %d)", message.MaxRecipients)
	}
	named := message.ToPeople{}
	for _, id := range list {
		if id == nil {
			return nil, errs.Bad("Invalid data type for recipients")
		}
		named.IDs = append(named.IDs, *id)
	}
	all, err := message.FindPeople(v, sender, named)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return all.Minus(user.Set{sender.ID}), nil
	}
	return all, nil
}

// Change holds the fields of PATCH /scheduled_messages; nil fields stay unchanged.
type Change struct {
	Type    *string
	To      *string
	Topic   *string
	Content *string
	At      *int64 // Unix seconds
}

// Destination returns the destination of the changed message. Errors: BadRequest.
func (c Change) Destination(v *directory.View, sender *user.User, old Destination) (Destination, error) {
	toChannel := old.Channel != 0
	if c.Type != nil {
		var err error
		if toChannel, err = ToChannel(*c.Type); err != nil {
			return old, err
		}
		if c.To == nil {
			return old, errs.Bad("Recipient required when updating type of scheduled message.")
		}
		if toChannel && c.Topic == nil {
			return old, errs.Bad("Topic required when updating scheduled message type to channel.")
		}
	}
	if !toChannel {
		if c.To == nil {
			return old, nil
		}
		people, err := ParsePeople(v, sender, *c.To)
		return Destination{People: people}, err
	}
	now := Destination{Channel: old.Channel, Topic: old.Topic}
	var err error
	if c.To != nil {
		if now.Channel, err = ParseChannel(*c.To); err != nil {
			return old, err
		}
	}
	if c.Topic != nil {
		now.Topic, err = topic.Clean(*c.Topic)
	}
	return now, err
}
