package events

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// listening answers event.Listening.
func (s *service) listening(ctx context.Context, q event.Listening) (map[user.ID]event.Seq, error) {
	out := map[user.ID]event.Seq{}
	for some := range slices.Chunk(q.Users, batch) {
		rows, err := s.rows.Live(ctx, q.Realm, some, s.Clock.Now())
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			var asked spec
			if err := json.Unmarshal([]byte(row.Spec), &asked); err != nil {
				return nil, err
			}
			if types := typeSet(asked.Types); types == nil || types[message.EventNew] {
				out[row.UserID] = max(out[row.UserID], row.StartSeq, row.AckedSeq)
			}
		}
	}
	return out, nil
}
