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

type receiptsResponse struct {
	Users user.Set `json:"user_ids"`
}

// receipts handles GET /messages/:message_id/read_receipts. It lists the users who have read a message and share read
// receipts. Errors: BadRequest.
func (s *Service) receipts(ctx context.Context, a kit.Actor, in receiptsRequest) (receiptsResponse, error) {
	r, err := s.reader(ctx, a)
	if err != nil {
		return receiptsResponse{}, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, in.ID)
	switch {
	case err != nil:
		return receiptsResponse{}, err
	case len(found) == 0:
		return receiptsResponse{}, message.Invalid()
	case !r.v.Realm().Settings.EnableReadReceipts:
		return receiptsResponse{}, errs.Bad("Read receipts are disabled in this organization.")
	}
	all, err := s.States.ForAllUsers(ctx, r.v, found[0].Message)
	if err != nil {
		return receiptsResponse{}, err
	}
	states := all[in.ID]
	out := receiptsResponse{Users: user.Set{}}
	for _, id := range states.Users() {
		u := r.v.User(id)
		if u == nil || !u.Active || id == found[0].Sender || !u.Settings.SendReadReceipts || r.v.Muted(id).Has(r.u.ID) ||
			r.v.Muted(r.u.ID).Has(id) {
			continue
		}
		if permission.Sees(r.v, r.u, id) && states.Read(id) {
			out.Users = append(out.Users, id)
		}
	}
	return out, nil
}
