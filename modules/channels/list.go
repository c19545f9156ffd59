package channels

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/kit"
)

// list is a list of channels for one reader. Each channel's record (eventtype.NewRecord) is the same for all readers
// and is encoded only once.
type list struct {
	v     *directory.View
	all   []entry
	lists *subscriberLists // nil: without subscribers
}

// entry is a channel and its reader-specific fields.
type entry struct {
	*channel.Channel
	isDefault bool              // include is_default
	hidden    bool              // the reader cannot see the subscribers
	own       *channel.Personal // the reader's settings
}

// Size implements [kit.Encoded].
func (l *list) Size() int {
	size := 0
	for _, e := range l.all {
		size += 1300
		if l.lists != nil {
			size += 7 * len(l.v.Subscribers(e.ID))
		}
	}
	return size
}

// MarshalJSON implements [json.Marshaler].
func (l *list) MarshalJSON() ([]byte, error) { return l.AppendJSON(nil) }

// AppendJSON implements [kit.Encoded].
func (l *list) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, '[')
	for i, e := range l.all {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = l.append(b, e); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (l *list) append(b []byte, e entry) ([]byte, error) {
	text, err := directory.Recall(l.v.ChannelMemo(e.ID), func(t *encoded) bool { return t.holds(l.v, e.ID) },
		func() (*encoded, error) { return encode(l.v, e.Channel) })
	if err != nil {
		return nil, err
	}
	b = append(b, text.text...)
	if e.isDefault {
		b = strconv.AppendBool(append(b, `,"is_default":`...), e.Default)
	}
	if l.lists != nil {
		b = l.lists.append(b, l.v.Subscribers(e.ID), e.hidden)
	}
	if e.own != nil {
		at := len(b)
		if b, err = kit.AppendJSON(b, e.own.Record()); err != nil {
			return nil, err
		}
		b[at] = ','
		return b, nil
	}
	return append(b, '}'), nil
}

// encoded is a channel's record as JSON without the closing brace. It also holds the values on which the record depends
// besides the channel: the number of subscribers, and which of the users named in settings are active.
type encoded struct {
	text        []byte
	subscribers int
	named       user.Set
	active      user.Set
}

func encode(v *directory.View, c *channel.Channel) (*encoded, error) {
	b, err := kit.AppendJSON(nil, eventtype.NewRecord(v, c))
	if err != nil {
		return nil, err
	}
	named := c.Named()
	b = bytes.Clone(b[:len(b)-1]) // without spare capacity, since it is cached
	return &encoded{b, len(v.Subscribers(c.ID)), named, named.And(v.Active())}, nil
}

func (t *encoded) holds(v *directory.View, id channel.ID) bool {
	if len(v.Subscribers(id)) != t.subscribers {
		return false
	}
	return !slices.ContainsFunc(t.named, func(u user.ID) bool { return v.Active().Has(u) != t.active.Has(u) })
}

// append appends the key subscribers or partial_subscribers with its value if it was requested.
func (l *subscriberLists) append(b []byte, all user.Set, hidden bool) []byte {
	key := `,"subscribers":`
	switch {
	case l.want == event.NoSubscribers:
		return b
	case hidden:
		all = nil
	case l.want == event.PartialSubscribers && len(all) >= l.whole:
		key, all = `,"partial_subscribers":`, all.And(l.part)
	}
	b = append(append(b, key...), '[')
	for i, u := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(u), 10)
	}
	return append(b, ']')
}

// sortByName sorts channels by name, then by ID.
func sortByName(all []*channel.Channel) {
	slices.SortFunc(all, func(a, b *channel.Channel) int {
		return cmp.Or(channel.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}
