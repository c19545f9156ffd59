package audit

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/export"
)

// aboutUser answers export.AboutUser: what the user has done, and what others have done to the account.
func (s *service) aboutUser(ctx context.Context, q export.AboutUser) (export.Part, error) {
	part := export.Part{Name: "audit"}
	for _, of := range []audit.Query{
		{Realm: q.Realm, Actor: q.User},
		{Realm: q.Realm, TargetKind: audit.User, Target: fmt.Sprint(q.User)},
	} {
		byOthers := of.Actor == 0
		of.Limit = maxLimit
		for more := true; more; {
			page, err := s.entries(ctx, of)
			if err != nil {
				return part, err
			}
			for _, e := range page {
				of.After = e.ID
				switch own := e.Actor != nil && *e.Actor == q.User; {
				case byOthers && own:
					continue // listed above
				case byOthers:
					e.IP, e.Client, e.Session, e.Key = "", "", nil, "" // those of others
				}
				part.Lines = append(part.Lines, e)
			}
			more = len(page) == maxLimit
		}
	}
	return part, nil
}
