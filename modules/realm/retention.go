package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// retentionDays answers the query message.RetentionDays.
func (s *service) retentionDays(ctx context.Context, _ message.RetentionDays) (map[realm.ID]int, error) {
	return s.store.RetentionDays(ctx)
}
