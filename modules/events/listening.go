package events

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Listening implements [ports.Listeners].
func (s *service) Listening(ctx context.Context, r realm.ID, us user.Set) (map[user.ID]event.Seq, error) {
	out := map[user.ID]event.Seq{}
	for some := range slices.Chunk(us, batch) {
		rows, err := s.rows.Live(ctx, r, some, s.Clock.Now())
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
