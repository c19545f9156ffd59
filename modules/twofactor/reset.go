package twofactor

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type resetReq struct {
	User user.ID `json:"user_id"`
}

// reset handles DELETE /stoa/second_factor/users/{user_id}. Errors: BadRequest for unknown users and the caller;
// UnauthorizedPrincipal if an administrator resets that of an owner.
func (s *service) reset(ctx context.Context, a kit.Actor, in resetReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		u := v.User(in.User)
		switch {
		case u == nil || u.IsBot() || u.System:
			return errs.Bad("No such user")
		case u.ID == a.User:
			return errs.Bad("Change your own second factor in your settings.")
		case u.Role == user.Owner && v.User(a.User).Role != user.Owner:
			return errs.New(errs.UnauthorizedPrincipal, "Must be an organization owner")
		}
		_, err = s.forgetAll(ctx, a, u)
		return err
	})
}

// forgetAll removes the second factors of a user, ends their sessions, and reports whether there were any. It must be
// called inside Do.
func (s *service) forgetAll(ctx context.Context, a kit.Actor, u *user.User) (bool, error) {
	f, err := s.rows.Of(ctx, u.ID)
	if err != nil || !f.any() {
		return false, err
	}
	if err := s.rows.Forget(ctx, u.ID); err != nil {
		return false, err
	}
	if err := s.SignIns.EndAll(ctx, a.Realm, u.ID, 0); err != nil {
		return false, err
	}
	return true, s.changed(ctx, a, u.ID, wasReset)
}

func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.Confirm(kit.NewCommand("user second-factor reset", s.commandReset,
			"Remove the second factors of a user who has lost them."), s.wouldReset),
	}
}

func (s *service) wouldReset(ctx context.Context, a kit.Actor, in kit.UserFlag) (kit.Effect, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return kit.Effect{}, err
	}
	return kit.Effect{Text: fmt.Sprintf("remove the second factors of user %d %s and end all sessions", u.ID,
		u.DeliveryEmail)}, nil
}

// resetDone is the output of user second-factor reset.
type resetDone struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
	Had   bool    `json:"had_second_factor"`
}

func (r resetDone) String() string {
	if !r.Had {
		return fmt.Sprintf("user %d %s has no second factor", r.ID, r.Email)
	}
	return fmt.Sprintf("removed the second factors of user %d %s", r.ID, r.Email)
}

func (s *service) commandReset(ctx context.Context, a kit.Actor, in kit.UserFlag) (resetDone, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return resetDone{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (resetDone, error) {
		had, err := s.forgetAll(ctx, a, u)
		return resetDone{u.ID, u.DeliveryEmail, had}, err
	})
}
