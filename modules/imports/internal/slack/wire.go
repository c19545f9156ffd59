package slack

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/importing"
)

// The types of this file decode what should be there, and ignore what is there instead: a field of another type is as
// good as an absent one.

// text is a string, or a number as text.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch {
	case len(b) > 0 && b[0] == '"':
		var s string
		if json.Unmarshal(b, &s) == nil {
			*t = text(importing.CleanText(s))
		}
	case len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9'):
		*t = text(b)
	}
	return nil
}

func (t text) s() string { return string(t) }

// number is an integer, also one that is written as a string.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b) // never fails
	i, err := strconv.ParseInt(t.s(), 10, 64)
	if err != nil {
		i = 0
	}
	*n = number(i)
	return nil
}

// flag is true only if the value is.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true"
	return nil
}

// list is a list without the elements that have another type.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	var all []json.RawMessage
	if json.Unmarshal(b, &all) != nil {
		return nil //nolint:nilerr // something else than a list is an empty one
	}
	for _, one := range all {
		var to *T
		if json.Unmarshal(one, &to) == nil && to != nil {
			*l = append(*l, *to)
		}
	}
	return nil
}

// object is an object, or nil if the value is something else.
type object[T any] struct{ v *T }

// UnmarshalJSON implements json.Unmarshaler.
func (o *object[T]) UnmarshalJSON(b []byte) error {
	var to *T
	if json.Unmarshal(b, &to) != nil {
		to = nil
	}
	o.v = to
	return nil
}

// get returns the object, or an empty one.
func (o object[T]) get() T {
	if o.v == nil {
		var none T
		return none
	}
	return *o.v
}

// message is a message in a day's file.
type message struct {
	Type, Subtype, TS, Text, User, Username text
	ThreadTS                                text                        `json:"thread_ts"`
	ReplyCount                              number                      `json:"reply_count"`
	BotID                                   text                        `json:"bot_id"`
	BotProfile                              object[named]               `json:"bot_profile"`
	UserProfile                             object[named]               `json:"user_profile"`
	Blocks                                  list[block]                 `json:"blocks"`
	Attachments                             list[attachment]            `json:"attachments"`
	Files                                   list[file]                  `json:"files"`
	File                                    object[file]                `json:"file"`
	Comment                                 object[comment]             `json:"comment"`
	Reactions                               list[reaction]              `json:"reactions"`
	Edited                                  object[edited]              `json:"edited"`
	PinnedTo                                list[text]                  `json:"pinned_to"`
	Room                                    object[room]                `json:"room"`
	Topic, Purpose                          text                        `json:",omitempty"`
	Message                                 object[json.RawMessage]     `json:"message"`    // of message_changed
	DeletedTS                               text                        `json:"deleted_ts"` // of message_deleted
	Previous, Original                      object[struct{ Text text }] // in archives with edit logs
}

type named struct {
	Name        text
	RealName    text `json:"real_name"`
	DisplayName text `json:"display_name"`
}

func (n named) any() string { return first(n.RealName.s(), n.DisplayName.s(), n.Name.s()) }

type comment struct{ User, Comment text }

type reaction struct {
	Name  text
	Users list[text]
	Count number
}

type edited struct{ User, TS text }

type room struct {
	Participants list[text] `json:"participants"`
	History      list[text] `json:"participant_history"`
	Attended     list[text] `json:"attached_participants"`
}

// decode decodes a message.
func decode(element []byte) (*message, error) {
	var m message
	err := importing.Decode(element, &m)
	return &m, err
}

// first returns the first text that is not empty.
func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
