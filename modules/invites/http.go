package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type joinReq struct {
	Key      string `json:"key" default:""`
	Email    string `json:"email" default:""`
	Name     string `json:"full_name" default:""`
	Password string `json:"password" default:""`
}

type joinRes struct {
	User    user.ID `json:"user_id,omitempty"`
	Email   string  `json:"email"`
	Confirm bool    `json:"confirmation_sent"`
}

// joinByAPI handles POST /join. With the key of an email invitation or a confirmation, it creates the account and needs
// full_name and password. With the key of a link or none, it only needs email if the server sends email; the account is
// then created by the link in the confirmation email. Errors: NotFound, BadRequest, RateLimit.
func (s *service) joinByAPI(ctx context.Context, a kit.Actor, in joinReq) (joinRes, error) {
	j, err := s.join(
		ctx,
		applicant{Key: in.Key, Realm: a.Realm, Email: in.Email, Name: in.Name, Password: in.Password, From: a.From},
	)
	return joinRes{j.User, j.Email, j.Confirm}, err
}

type lookReq struct {
	Key string `json:"key" default:""`
}

type lookRes struct {
	Name    string `json:"realm_name"`
	Email   string `json:"email"`                 // the proven address; "": the user must enter one
	Confirm bool   `json:"confirmation_required"` // the address must be confirmed by email first
}

// look handles POST /join/look. It changes nothing, but is not a GET request, so that keys do not appear in URLs.
// Errors: NotFound, BadRequest.
func (s *service) look(ctx context.Context, a kit.Actor, in lookReq) (lookRes, error) {
	v, d, err := s.resolve(ctx, a.Realm, in.Key)
	if err != nil {
		return lookRes{}, err
	}
	return lookRes{v.Realm().Settings.Name, d.email, d.confirm}, nil
}
