package presence

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/modules/kit"
)

// Responses implement kit.Encoded for speed: they contain thousands of users and are sent to thousands of clients.

// Size implements kit.Encoded.
func (r *response) Size() int {
	if r == nil {
		return 0
	}
	return r.Presences.Size() + 200
}

// AppendJSON implements kit.Encoded.
func (r *response) AppendJSON(b []byte) ([]byte, error) {
	if r == nil {
		return append(b, "null"...), nil
	}
	b, err := r.Presences.AppendJSON(append(b, `{"presences":`...))
	if err != nil {
		return nil, err
	}
	b = strconv.AppendFloat(append(b, `,"server_timestamp":`...), r.At, 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"presence_last_update_id":`...), r.Last, 10)
	return append(b, '}'), nil
}

// format is a list of users as JSON.
type format = kit.Encoded

// modern lists users by ID.
type modern []visibleUser

// MarshalJSON implements json.Marshaler.
func (all modern) MarshalJSON() ([]byte, error) { return all.AppendJSON(make([]byte, 0, all.Size())) }

func (all modern) Size() int { return 80*len(all) + 2 }

func (all modern) AppendJSON(b []byte) ([]byte, error) {
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

// legacy lists users by API email address, in the older format.
type legacy struct {
	v   *directory.View
	all []visibleUser
}

// MarshalJSON implements json.Marshaler.
func (l legacy) MarshalJSON() ([]byte, error) { return l.AppendJSON(make([]byte, 0, l.Size())) }

func (l legacy) Size() int { return 260*len(l.all) + 2 }

func (l legacy) AppendJSON(b []byte) ([]byte, error) {
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
