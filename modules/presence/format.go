package presence

import (
	"encoding/json"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
)

// modern is people by id. It writes itself: there may be thousands, in the answer to each of thousands.
type modern []person

// MarshalJSON implements json.Marshaler.
func (all modern) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 80*len(all)+2)
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
func (l legacy) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 260*len(l.all)+2)
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
