package readstate

import (
	"strconv"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// Size implements [kit.Encoded].
func (m unreadMsgs) Size() int {
	n := len(m.Mentions) + len(m.Wildcards)
	for _, g := range m.Streams {
		n += len(g.IDs)
	}
	for _, g := range m.PMs {
		n += len(g.IDs)
	}
	for _, g := range m.Huddles {
		n += len(g.IDs)
	}
	return 100*(1+len(m.Streams)+len(m.PMs)+len(m.Huddles)) + 9*n
}

// AppendJSON implements [kit.Encoded]. It avoids reflection, since there may be tens of thousands of IDs.
func (m unreadMsgs) AppendJSON(b []byte) ([]byte, error) {
	b = strconv.AppendInt(append(b, `{"count":`...), int64(m.Count), 10)
	b = append(b, `,"pms":`...)
	for i, g := range m.PMs {
		b = strconv.AppendInt(append(appendSeparator(b, i), `{"other_user_id":`...), int64(g.With), 10)
		b = strconv.AppendInt(append(b, `,"sender_id":`...), int64(g.With), 10) // for older clients
		b = appendIDs(b, g.IDs)
	}
	b = append(closeList(b, len(m.PMs)), `,"streams":`...)
	for i, g := range m.Streams {
		b = strconv.AppendInt(append(appendSeparator(b, i), `{"stream_id":`...), int64(g.StreamID), 10)
		var err error
		if b, err = kit.AppendJSON(append(b, `,"topic":`...), g.Topic); err != nil {
			return nil, err
		}
		b = appendIDs(b, g.IDs)
	}
	b = append(closeList(b, len(m.Streams)), `,"huddles":`...)
	for i, g := range m.Huddles {
		b = append(append(append(appendSeparator(b, i), `{"user_ids_string":"`...), g.UserIDs...), '"')
		b = appendIDs(b, g.IDs)
	}
	b = append(closeList(b, len(m.Huddles)), `,"mentions":`...)
	for i, id := range m.Mentions {
		b = strconv.AppendInt(appendSeparator(b, i), int64(id), 10)
	}
	b = closeList(b, len(m.Mentions))
	if m.Wildcards != nil {
		b = append(b, `,"wildcard_mentions":`...)
		for i, id := range m.Wildcards {
			b = strconv.AppendInt(appendSeparator(b, i), int64(id), 10)
		}
		b = closeList(b, len(m.Wildcards))
	}
	b = append(b, `,"old_unreads_missing":`...)
	return append(strconv.AppendBool(b, m.OldMissing), '}'), nil
}

// appendIDs appends the key unread_message_ids and closes the object.
func appendIDs(b []byte, ids []message.ID) []byte {
	b = append(b, `,"unread_message_ids":`...)
	for i, id := range ids {
		b = strconv.AppendInt(appendSeparator(b, i), int64(id), 10)
	}
	return append(closeList(b, len(ids)), '}')
}

// appendSeparator appends what precedes the i-th element of a list: a bracket or a comma.
func appendSeparator(b []byte, i int) []byte {
	if i == 0 {
		return append(b, '[')
	}
	return append(b, ',')
}

// closeList closes a list of n elements.
func closeList(b []byte, n int) []byte {
	if n == 0 {
		b = append(b, '[')
	}
	return append(b, ']')
}
