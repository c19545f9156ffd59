package presence

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
)

// An answer writes itself: there may be thousands of people in it, in the answer to each of thousands.

// EncodeJSON implements kit.Encoded.
func (a *answer) EncodeJSON() ([]byte, error) {
	if a == nil {
		return []byte("null"), nil
	}
	b, err := a.Presences.append(append(make([]byte, 0, a.Presences.size()+160), `{"presences":`...))
	if err != nil {
		return nil, err
	}
	b = strconv.AppendFloat(append(b, `,"server_timestamp":`...), a.At, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"presence_last_update_id":`...), a.Last, 10)
	return append(b, '}'), nil
}

// format is people as JSON.
type format interface {
	append(b []byte) ([]byte, error)
	size() int // bytes, roughly
}

// modern is people by id.
type modern []person

// MarshalJSON implements json.Marshaler.
func (all modern) MarshalJSON() ([]byte, error) { return all.append(make([]byte, 0, all.size())) }

func (all modern) size() int { return 80*len(all) + 2 }

func (all modern) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, p := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '"'), int64(p.user.ID), 10)
		b = strconv.AppendInt(append(b, `":{"active_timestamp":`...), p.Active, 10)
		b = strconv.AppendInt(append(b, `,"idle_timestamp":`...), p.Idle, 10)
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

// legacy is people by API e-mail, in the older format.
type legacy struct {
	v   *directory.View
	all []person
}

// MarshalJSON implements json.Marshaler.
func (l legacy) MarshalJSON() ([]byte, error) { return l.append(make([]byte, 0, l.size())) }

func (l legacy) size() int { return 260*len(l.all) + 2 }

func (l legacy) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, p := range l.all {
		if i > 0 {
			b = append(b, ',')
		}
		email, err := json.Marshal(permission.APIEmail(l.v, p.user))
		if err != nil {
			return nil, err
		}
		sum := p.Summary()
		b = append(append(b, email...), `:{"aggregated":{"client":"website","status":"`...)
		b = append(append(b, sum.Status...), `","timestamp":`...)
		b = strconv.AppendInt(b, sum.Timestamp, 10)
		b = append(b, `},"website":{"client":"website","status":"`...)
		b = append(append(b, sum.Status...), `","timestamp":`...)
		b = strconv.AppendInt(b, sum.Timestamp, 10)
		b = append(b, `,"pushable":false}}`...)
	}
	return append(b, '}'), nil
}
