// Package draft describes drafts of messages.
package draft

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a draft.
type ID int64

// Kind is a draft's recipient type, as on the wire.
type Kind string

// The kinds.
const (
	Unaddressed Kind = ""
	ToChannel   Kind = "stream"
	ToPeople    Kind = "private"
)

// Limits on one user's drafts, all of which /register returns.
const (
	MaxDrafts = 1000
	MaxBytes  = 1_000_000 // of all contents and topics together
)

// Draft is an unsent message.
type Draft struct {
	ID      ID
	Kind    Kind
	To      []int64 // the channel's ID, or user IDs without the author's, except in drafts to oneself
	Topic   string
	Content string
	Edited  time.Time // to the second
}

// Total counts a user's stored drafts.
type Total struct {
	Drafts int
	Bytes  int // of contents and topics
}

// Admit checks that drafts can be added within the limits. Errors: BadRequest.
func (k Total) Admit(ds ...Draft) error {
	for _, d := range ds {
		k.Bytes += len(d.Content) + len(d.Topic)
	}
	switch {
	case k.Drafts+len(ds) > MaxDrafts:
		return errs.Bad("Too many drafts (limit: %d). Remove some first.", MaxDrafts)
	case k.Bytes > MaxBytes:
		return errs.Bad("Drafts are too long in total (limit: %d bytes). Remove some first.", MaxBytes)
	}
	return nil
}

// Input is a draft sent by a client.
type Input struct {
	Kind      *Kind    `json:"type" doc:"stream, private, or empty for a draft without recipient."`
	To        []int64  `json:"to"`
	Topic     *string  `json:"topic"`
	Content   *string  `json:"content"`
	Timestamp *float64 `json:"timestamp"` // of the last edit, in Unix seconds; nil: now
}

// UnmarshalJSON reads an object with exactly the fields of a draft. Errors: BadRequest.
func (in *Input) UnmarshalJSON(b []byte) error {
	type plain Input
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	switch err := dec.Decode((*plain)(in)); {
	case errors.As(err, &wrong):
		return err
	case err != nil:
		return errs.Bad("A draft can only have the fields type, to, topic, content and timestamp").Because(err)
	}
	if in.Kind == nil || in.To == nil || in.Topic == nil || in.Content == nil {
		return errs.Bad("A draft must have the fields type, to, topic and content")
	}
	return nil
}

// latest is the last second of the year 9999.
const latest = 253402300799

// New validates a draft of u. Errors: BadRequest.
func New(v *directory.View, u *user.User, in Input, now time.Time) (Draft, error) {
	d := Draft{Kind: *in.Kind, To: []int64{}, Edited: now.Truncate(time.Second)}
	var err error
	if d.Content, err = message.Clean(*in.Content); err != nil {
		return Draft{}, err
	}
	if in.Timestamp != nil {
		switch at := *in.Timestamp; {
		case at < 0:
			return Draft{}, errs.Bad("Timestamp must not be negative.")
		case at > latest:
			return Draft{}, errs.Bad("Invalid timestamp")
		default:
			d.Edited = time.Unix(int64(math.Floor(at)), 0).UTC()
		}
	}
	switch d.Kind {
	case Unaddressed:
	case ToChannel:
		d.To, d.Topic, err = toChannel(v, u, in)
	case ToPeople:
		d.To, err = toPeople(v, u, in.To)
	default:
		err = errs.Bad("Invalid type")
	}
	return d, err
}

func toChannel(v *directory.View, u *user.User, in Input) ([]int64, string, error) {
	if len(in.To) != 1 {
		return nil, "", errs.Bad("Must specify exactly 1 channel ID for channel messages")
	}
	if c := v.Channel(channel.ID(in.To[0])); c == nil || c.Archived || !permission.Reads(v, c, u) {
		return nil, "", channel.Invalid()
	}
	if strings.ContainsRune(*in.Topic, 0) {
		return nil, "", errs.Bad("Topic must not contain null bytes")
	}
	name, err := topic.Clean(*in.Topic)
	return in.To, name, err
}

func toPeople(v *directory.View, u *user.User, to []int64) ([]int64, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(to)))
	if len(ids) > message.MaxRecipients {
		return nil, errs.Bad("Too many recipients (maximum %d)", message.MaxRecipients)
	}
	for _, id := range ids {
		if !permission.Sees(v, u, user.ID(id)) {
			return nil, errs.Bad("Invalid user ID %d", id)
		}
	}
	if len(ids) > 1 {
		ids = slices.DeleteFunc(ids, func(id int64) bool { return user.ID(id) == u.ID })
	}
	return append([]int64{}, ids...), nil
}
