package fetch

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type receiptsRequest struct {
	ID message.ID `json:"message_id"`
}

type receiptsAnswer struct {
	Users user.Set `json:"user_ids"`
}

// receipts handles GET /messages/:message_id/read_receipts. It lists the users who have read a message and share read
// receipts. Errors: BadRequest.
func (s *Service) receipts(ctx context.Context, a kit.Actor, in receiptsRequest) (receiptsAnswer, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return receiptsAnswer{}, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, in.ID)
	switch {
	case err != nil:
		return receiptsAnswer{}, err
	case len(found) == 0:
		return receiptsAnswer{}, message.Invalid()
	case !r.v.Realm().Settings.EnableReadReceipts:
		return receiptsAnswer{}, errs.Bad("Read receipts are disabled in this organization.")
	}
	everyone, err := s.States.Everyone(ctx, r.v, found[0].Message)
	if err != nil {
		return receiptsAnswer{}, err
	}
	people := everyone[in.ID]
	out := receiptsAnswer{Users: user.Set{}}
	for _, id := range people.Holders() {
		u := r.v.User(id)
		if u == nil || !u.Active || id == found[0].Sender || !u.Settings.SendReadReceipts || r.v.Muted(id).Has(r.u.ID) ||
			r.v.Muted(r.u.ID).Has(id) {
			continue
		}
		if permission.Sees(r.v, r.u, id) && people.Read(id) {
			out.Users = append(out.Users, id)
		}
	}
	return out, nil
}
